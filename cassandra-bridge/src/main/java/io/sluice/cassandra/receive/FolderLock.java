package io.sluice.cassandra.receive;

import io.sluice.sstable.encoding.LockedFile;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right of one user to make a folder: the lock of a file beside it, {@code .NAME.lock}, which the system releases
 * if the process ends. Thread-safe.
 */
final class FolderLock implements AutoCloseable {
    static final String SUFFIX = ".lock";

    private static final Logger LOG = LoggerFactory.getLogger(FolderLock.class);

    private final Path folder;
    private final LockedFile file;

    private FolderLock(Path folder, LockedFile file) {
        this.folder = folder;
        this.file = file;
    }

    /**
     * Locks {@code folder}, which need not exist; creates its parent.
     *
     * @throws FileSystemException if another process, or another user in this one, has locked it
     */
    static FolderLock of(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath().normalize();
        OwnerOnly.createDirectories(absolute.resolveSibling(""));
        LockedFile file = LockedFile.of(absolute.resolveSibling("." + absolute.getFileName() + SUFFIX))
                .orElseThrow(() -> new FileSystemException(
                        absolute.toString(),
                        null,
                        "in use by another command (wait for its end, or choose another --to)"));
        return new FolderLock(absolute, file);
    }

    /**
     * Removes the file, and releases the lock; does nothing the second time. A file that cannot be removed is a
     * warning: whoever comes next uses it again.
     */
    @Override
    public void close() {
        try {
            file.remove();
        } catch (IOException e) {
            LOG.warn("{}: its lock is released, but not removed: {}", folder, e.getMessage(), e);
        }
    }
}
