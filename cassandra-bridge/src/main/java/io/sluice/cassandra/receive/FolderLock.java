package io.sluice.cassandra.receive;

import io.sluice.sstable.encoding.LockedFile;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right of one user to a folder: the lock of a file, which the system releases if the process ends. Whoever makes
 * the folder {@code NAME} locks {@code .NAME.lock} beside it, whoever makes folders in it {@code .in-use} within.
 * Thread-safe.
 */
final class FolderLock implements AutoCloseable {
    static final String SUFFIX = ".lock";

    private static final String WITHIN = ".in-use"; // no name that ends with SUFFIX: those are cleaned

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
    static FolderLock beside(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath().normalize();
        OwnerOnly.createDirectories(absolute.resolveSibling(""));
        return of(absolute, absolute.resolveSibling("." + absolute.getFileName() + SUFFIX));
    }

    /**
     * Locks {@code folder}, which is created if it does not exist; its parent need not be writable.
     *
     * @throws FileSystemException if another process, or another user in this one, has locked it
     */
    static FolderLock within(Path folder) throws IOException {
        Path absolute = OwnerOnly.createDirectories(folder.toAbsolutePath().normalize());
        return of(absolute, absolute.resolve(WITHIN));
    }

    private static FolderLock of(Path folder, Path lock) throws IOException {
        LockedFile file = LockedFile.of(lock)
                .orElseThrow(() -> new FileSystemException(
                        folder.toString(),
                        null,
                        "in use by another command (wait for its end, or choose another --to)"));
        return new FolderLock(folder, file);
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
