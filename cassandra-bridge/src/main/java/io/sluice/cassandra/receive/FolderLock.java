package io.sluice.cassandra.receive;

import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The right of one user to make a folder: the lock of a file beside it, {@code .NAME.lock}, which the system releases
 * if the process ends. Thread-safe.
 */
final class FolderLock implements AutoCloseable {
    static final String SUFFIX = ".lock";

    private final Path file;
    private final FileChannel channel;

    private FolderLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Locks {@code folder}, which need not exist; creates its parent.
     *
     * @throws FileSystemException if another process, or another user in this one, has locked it
     */
    static FolderLock of(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath().normalize();
        Path file = absolute.resolveSibling("." + absolute.getFileName() + SUFFIX);
        OwnerOnly.createDirectories(absolute.resolveSibling(""));
        while (true) {
            FileChannel channel = OwnerOnly.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                if (!isLocked(channel)) {
                    throw new FileSystemException(
                            absolute.toString(),
                            null,
                            "in use by another command (wait for its end, or choose another --to)");
                }
                if (channel.size() == 0) {
                    return new FolderLock(file, channel);
                }
                channel.close(); // its user removed the file after we had opened it
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException ofThisProcess) {
            return false;
        }
    }

    /** Removes the file, and releases the lock; does nothing the second time. */
    @Override
    public synchronized void close() throws IOException {
        if (!channel.isOpen()) {
            return;
        }
        try (channel) {
            Files.deleteIfExists(file);
            channel.write(ByteBuffer.allocate(1)); // whoever waits with the removed file open must open another one
        }
    }
}
