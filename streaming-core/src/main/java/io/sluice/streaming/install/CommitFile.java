package io.sluice.streaming.install;

import io.sluice.sstable.component.Descriptor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The record that a set shall be installed: once it is durable the set must become live, before that it never happened.
 * Layout: the package's description. Immutable.
 */
record CommitFile(UUID installId, UUID tableId, List<Descriptor> sstables, List<StagedFile> files) {
    /** Its name in the directory of the set. */
    static final String NAME = "commit";

    /** The same once more, written before: one bad sector must not decide. */
    static final String COPY_NAME = "commit-copy";

    static final int MAX_LENGTH_BYTES = 64 << 20;

    private static final String FIRST_LINE = "sluice-commit 1";

    /** Of a set that lies on several volumes. */
    private static final String FIRST_LINE_OF_SEVERAL = "sluice-commit 2";

    /**
     * One file of the set, by its name in staging and in the live folder alike.
     *
     * @param volumeId on which it lies; empty if beside the commit file
     */
    record StagedFile(String name, long lengthBytes, Optional<UUID> volumeId) {
        /** Beside the commit file. */
        StagedFile(String name, long lengthBytes) {
            this(name, lengthBytes, Optional.empty());
        }
    }

    CommitFile {
        sstables = List.copyOf(sstables);
        files = List.copyOf(files);
    }

    /** Other volumes than its own on which files of it lie. */
    Set<UUID> otherVolumes() {
        Set<UUID> others = new LinkedHashSet<>();
        files.forEach(file -> file.volumeId().ifPresent(others::add));
        return others;
    }

    byte[] encode() {
        Set<UUID> others = otherVolumes();
        StringBuilder text = new StringBuilder(others.isEmpty() ? FIRST_LINE : FIRST_LINE_OF_SEVERAL).append('\n');
        text.append("install ").append(installId).append('\n');
        text.append("table ").append(tableId).append('\n');
        sstables.forEach(sstable -> text.append("sstable ").append(sstable).append('\n'));
        write(text, Optional.empty());
        for (UUID other : others) {
            text.append("volume ").append(other).append('\n');
            write(text, Optional.of(other));
        }
        return SealedText.seal(text.toString());
    }

    private void write(StringBuilder text, Optional<UUID> volumeId) {
        files.stream()
                .filter(file -> file.volumeId().equals(volumeId))
                .forEach(file -> text.append("file ")
                        .append(file.lengthBytes())
                        .append(' ')
                        .append(file.name())
                        .append('\n'));
    }

    /**
     * The commit file of these bytes.
     *
     * @throws UnreadableLineException if they are not one whole, undamaged commit file, or one that this version did
     *     not write: then its copy, or an operator, must decide
     */
    static CommitFile decode(byte[] bytes) throws UnreadableLineException {
        byte[] several = (FIRST_LINE_OF_SEVERAL + "\n").getBytes(StandardCharsets.UTF_8);
        boolean isOfSeveral =
                bytes.length > several.length && Arrays.equals(bytes, 0, several.length, several, 0, several.length);
        Lines lines = new Lines(isOfSeveral);
        int number = 1;
        for (String line : SealedText.open(bytes, isOfSeveral ? FIRST_LINE_OF_SEVERAL : FIRST_LINE)) {
            lines.take(++number, line);
        }
        if (lines.install == null || lines.table == null) {
            throw new UnreadableLineException(number + 1, "crc32", "lines 'install' and 'table' before it");
        }
        return new CommitFile(lines.install, lines.table, lines.sstables, lines.files);
    }

    /** What the lines have said so far. Confined to one call. */
    private static final class Lines {
        private final List<Descriptor> sstables = new ArrayList<>();
        private final List<StagedFile> files = new ArrayList<>();
        private final boolean isOfSeveral;
        private Optional<UUID> volume = Optional.empty();
        private @Nullable UUID install;
        private @Nullable UUID table;

        Lines(boolean isOfSeveral) {
            this.isOfSeveral = isOfSeveral;
        }

        void take(int number, String line) throws UnreadableLineException {
            String[] words = line.split(" ", 3);
            try {
                switch (words[0]) {
                    case "install" -> install = UUID.fromString(words[1]);
                    case "table" -> table = UUID.fromString(words[1]);
                    case "sstable" -> sstables.add(SSTableFingerprint.descriptor(words[1]));
                    case "file" -> files.add(new StagedFile(component(words[2]), length(words[1]), volume));
                    case "volume" -> volume = Optional.of(UUID.fromString(ofSeveral(words[1])));
                    default -> throw new IllegalArgumentException("unknown to this version");
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException | IOException malformed) {
                throw new UnreadableLineException(number, line, malformed);
            }
        }

        private String ofSeveral(String id) {
            if (!isOfSeveral) {
                throw new IllegalArgumentException("unknown to this version");
            }
            return id;
        }

        /** Any other name could be that of a file elsewhere. */
        private static String component(String name) {
            if (Descriptor.parse(name).isEmpty()) {
                throw new IllegalArgumentException("file '" + name + "' (expected: a component's)");
            }
            return name;
        }

        private static long length(String number) {
            long length = Long.parseLong(number);
            if (length < 0) {
                throw new IllegalArgumentException("length: " + length + " (expected: at least 0)");
            }
            return length;
        }
    }
}
