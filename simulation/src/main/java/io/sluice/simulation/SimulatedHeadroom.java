package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Checks that received files stay within the room of their volume and leave the headroom to the database. A file may
 * begin only if its remaining bytes, and those of all files begun before, fit. So received files never fill the volume,
 * unless the volume has shrunk or others have written to it: journals, commit files, the database. Not thread-safe.
 */
final class SimulatedHeadroom {
    private final Predicate<Path> isThere;
    private final Map<Path, Long> unreservedBytes = new HashMap<>();
    /** By volume, the unreserved bytes when the last file was begun; absent if that is no longer meaningful. */
    private final Map<Path, Long> unreservedAtBegin = new HashMap<>();

    private final Set<Path> shrunk = new HashSet<>();

    SimulatedHeadroom(Predicate<Path> isThere) {
        this.isThere = isThere;
    }

    /** Whether room for the whole file was reserved: the size of an SSTable of rows is an estimate. */
    private boolean isReserved(Path file) {
        Optional<Descriptor.Named> named = Descriptor.parse(file.getFileName().toString());
        return file.toString().contains("/staging/")
                && named.filter(of -> of.component() == Component.DATA || of.component() == Component.PART)
                        .isPresent()
                && (named.get().component() == Component.PART
                        || !isThere.test(
                                file.resolveSibling(named.get().descriptor().fileName(Component.PART))));
    }

    /** A file was created on a volume. */
    void begins(Path volume, Path file) {
        if (isReserved(file)) {
            unreservedAtBegin.put(volume, unreservedBytes.getOrDefault(volume, 0L));
            shrunk.remove(volume);
        }
    }

    /** A volume has, or may have, less room than before: files that were begun before need not fit. */
    void shrinks(Path volume) {
        shrunk.add(volume);
    }

    /** Forgets all reservations, because the process has died. */
    void forget() {
        unreservedAtBegin.clear();
        unreservedBytes.clear();
        shrunk.clear();
    }

    /** A file grows by a hole, which takes room here but is not reserved, and by the bytes after it. */
    void grows(Path volume, Path file, long lengthBytes, long holeBytes) {
        unreservedBytes.merge(volume, isReserved(file) ? holeBytes : lengthBytes, Long::sum);
    }

    /** Whether a file takes headroom that nobody else has taken. */
    boolean isTakenBy(Path volume, Path file, long excessBytes) {
        Long before = unreservedAtBegin.get(volume);
        return isReserved(file)
                && before != null
                && !shrunk.contains(volume)
                && excessBytes > unreservedBytes.getOrDefault(volume, 0L) - before;
    }
}
