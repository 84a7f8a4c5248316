package io.sluice.harness.store;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The record of a table's last truncation, {@code truncated.txt} in its folder: the SSTables that were live, and the
 * installs that had a permit but no answer. A truncation has happened once its record is durable: the next start
 * removes files that a crash leaves, and then their names from the record. Immutable.
 *
 * <pre>
 * sstable nb-3g2x_…-big
 * install 0b6e3f5e-…
 * </pre>
 */
record Removals(Set<Descriptor> sstables, Set<UUID> installs) {
    static final Removals NONE = new Removals(Set.of(), Set.of());

    private static final String NAME = "truncated.txt";
    private static final String SSTABLE = "sstable ";
    private static final String INSTALL = "install ";

    Removals {
        sstables = Set.copyOf(sstables);
        installs = Set.copyOf(installs);
    }

    /** What the folder's note says; nothing if there is none. */
    static Removals read(Path tableDirectory) throws IOException {
        Path file = tableDirectory.resolve(NAME);
        if (!Files.exists(file)) {
            return NONE;
        }
        Set<Descriptor> sstables = new HashSet<>();
        Set<UUID> installs = new HashSet<>();
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(INSTALL)) {
                installs.add(install(file, line));
            } else {
                sstables.add(sstable(file, line));
            }
        }
        return new Removals(sstables, installs);
    }

    private static UUID install(Path file, String line) throws SSTableException {
        try {
            return UUID.fromString(line.substring(INSTALL.length()));
        } catch (IllegalArgumentException e) {
            throw new SSTableException(file + ": line '" + line + "' (expected: the id of an install)", e);
        }
    }

    private static Descriptor sstable(Path file, String line) throws IOException {
        Optional<Descriptor.Named> named = line.startsWith(SSTABLE)
                ? Descriptor.parse(line.substring(SSTABLE.length()) + "-" + Component.DATA.fileName())
                : Optional.empty();
        return named.orElseThrow(() -> new SSTableException(
                        file + ": line '" + line + "' (expected: the name of an SSTable, or the id of an install)"))
                .descriptor();
    }

    /** The truncation of all that is there now. */
    Removals plus(Collection<Descriptor> live, Set<UUID> unanswered) {
        Set<UUID> all = new HashSet<>(installs);
        all.addAll(unanswered);
        return new Removals(Set.copyOf(live), all); // the SSTables of the one before are gone
    }

    /** Without an install that has its answer. */
    Removals without(UUID installId) {
        Set<UUID> left = new HashSet<>(installs);
        left.remove(installId);
        return new Removals(sstables, left);
    }

    /** Of the installs alone: the files of all its SSTables are gone. */
    Removals withoutSSTables() {
        return new Removals(Set.of(), installs);
    }

    /** Notes it durably in the table's folder. */
    void write(Path tableDirectory) throws IOException {
        List<String> lines = new ArrayList<>();
        sstables.forEach(sstable -> lines.add(SSTABLE + sstable));
        installs.forEach(install -> lines.add(INSTALL + install));
        DurableFile.write(tableDirectory.resolve(NAME), lines.isEmpty() ? "" : String.join("\n", lines) + "\n");
    }
}
