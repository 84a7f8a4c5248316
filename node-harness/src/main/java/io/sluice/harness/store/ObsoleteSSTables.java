package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * SSTables that became obsolete together, by one mark on disk: after a crash all of them are, or none. Otherwise a
 * deletion could be gone, and a row that it deleted be there again. The mark goes with the last of them. Thread-safe.
 *
 * <pre>
 * obsolete-nb-3g2x_…-big    named after the first; a line for each: nb-3g2x_…-big
 * </pre>
 */
final class ObsoleteSSTables {
    static final String PREFIX = "obsolete-";

    private final Path mark;

    @GuardedBy("this")
    private final Set<Descriptor> left;

    private ObsoleteSSTables(Path mark, Collection<Descriptor> sstables) {
        this.mark = mark;
        this.left = new HashSet<>(sstables);
    }

    /** Marks {@code sstables}, one or more; when this returns, it is durable. */
    static ObsoleteSSTables mark(Path directory, List<Descriptor> sstables) throws IOException {
        Path mark = directory.resolve(PREFIX + sstables.get(0));
        String names = sstables.stream().map(Descriptor::toString).collect(Collectors.joining("\n"));
        DurableFile.write(mark, names + "\n");
        return new ObsoleteSSTables(mark, sstables);
    }

    /** The SSTables that a mark names; the one in its own name always. */
    static List<Descriptor> read(Path mark) throws IOException {
        List<Descriptor> named = new ArrayList<>();
        descriptor(mark.getFileName().toString().substring(PREFIX.length())).ifPresent(named::add);
        for (String line : Files.readAllLines(mark)) {
            descriptor(line).filter(one -> !named.contains(one)).ifPresent(named::add);
        }
        return named;
    }

    private static Optional<Descriptor> descriptor(String name) {
        return Descriptor.parse(name + "-" + Component.DATA.fileName()).map(Descriptor.Named::descriptor);
    }

    /** The files of one of them are gone, durably. */
    synchronized void removed(Descriptor sstable) throws IOException {
        left.remove(sstable);
        if (left.isEmpty()) {
            Files.deleteIfExists(mark);
        }
    }
}
