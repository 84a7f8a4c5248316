package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileIdentity;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.transfer.OfferedSSTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The offered files and their state at that time: a hard link protects a file from removal, not from writes.
 * Thread-safe.
 */
final class SourceFiles {
    private final Disk files;
    private final Map<Path, FileIdentity> identities = new ConcurrentHashMap<>();

    /** Checks files on {@code files}; starts empty. */
    SourceFiles(Disk files) {
        this.files = files;
    }

    /** Records the state of the files of a pinned SSTable. */
    void add(OfferedSSTable sstable) throws IOException {
        for (Path file : sstable.paths()) {
            identities.put(file, files.identity(file));
        }
    }

    /**
     * After the last byte: why the sent bytes of {@code sstable} may differ from the pinned files; empty if they do
     * not.
     */
    Optional<Failure> changed(OfferedSSTable sstable) {
        for (Path file : sstable.paths()) {
            FileIdentity before = identities.get(file);
            try {
                Optional<String> difference =
                        before == null ? Optional.empty() : before.difference(files.identity(file));
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
