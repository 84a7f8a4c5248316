package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileIdentity;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.transfer.OfferedSSTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The offered files and their state at that time: a hard link protects a file from removal, not from writes.
 * Thread-safe.
 */
final class SourceFiles {
    private final Disk files;
    /** By the number of the offer. */
    private final Map<Integer, Map<Path, FileIdentity>> offered = new ConcurrentHashMap<>();

    /** Checks files on {@code files}; starts empty. */
    SourceFiles(Disk files) {
        this.files = files;
    }

    /** Records the state of the files of a pinned SSTable. */
    void add(OfferedSSTable sstable) throws IOException {
        Map<Path, FileIdentity> identities = new LinkedHashMap<>();
        for (Path file : sstable.paths()) {
            identities.put(file, files.identity(file));
        }
        offered.put(sstable.offer().number(), identities);
    }

    /** The files of an SSTable that was added. */
    Set<Path> of(OfferedSSTable sstable) {
        return identities(sstable).keySet();
    }

    private Map<Path, FileIdentity> identities(OfferedSSTable sstable) {
        return offered.getOrDefault(sstable.offer().number(), Map.of());
    }

    /**
     * After the last byte: why the sent bytes of {@code sstable} may differ from the pinned files; empty if they do
     * not.
     */
    Optional<Failure> changed(OfferedSSTable sstable) {
        for (Map.Entry<Path, FileIdentity> before : identities(sstable).entrySet()) {
            Path file = before.getKey();
            try {
                Optional<String> difference = before.getValue().difference(files.identity(file));
                if (difference.isPresent()) {
                    return Optional.of(failure(file, difference.get()));
                }
            } catch (IOException e) {
                return Optional.of(failure(file, "it can no longer be read: " + e));
            }
        }
        return Optional.empty();
    }

    private static Failure failure(Path file, String what) {
        return new Failure(
                ErrorCode.SOURCE_CHANGED,
                file + " changed while it was being sent: " + what + "; it will be sent again");
    }
}
