package io.sluice.sstable.encoding;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;

/**
 * A file that is locked against other processes and other callers in this process, until it is closed, or the process
 * ends. Thread-safe.
 *
 * <p>By POSIX the close of any descriptor of a file ends all locks that the process has on the file. Therefore a file
 * is opened only if this process does not hold its lock yet: a system property notes that, because all copies of this
 * class in a process, by whatever class loaders, must know of each other.
 */
public final class LockedFile implements Closeable {
    private static final String LOCKED = "io.sluice.locked.";

    private final Path file;
    private final Claim claim;
    private final FileChannel channel;
    private final FileChannel again;

    /**
     * That this process holds the lock, or is about to.
     *
     * @param property its name ends with the path of the file
     * @param holder its value, another one for each lock: a second close removes none of a later holder
     */
    private record Claim(String property, String holder) {
        boolean isMade() {
            return System.getProperties().putIfAbsent(property, holder) == null;
        }

        void end() {
            System.getProperties().remove(property, holder);
        }
    }

    private LockedFile(Path file, Claim claim, FileChannel channel, FileChannel again) {
        this.file = file;
        this.claim = claim;
        this.channel = channel;
        this.again = again;
    }

    /**
     * Locks a file; creates it, for its owner only, if it is not there.
     *
     * @param file in a folder that exists
     * @return empty if another process, or another caller in this one, has locked it
     */
    public static Optional<LockedFile> of(Path file) throws IOException {
        Path real = file.toAbsolutePath().resolveSibling(".").toRealPath().resolve(file.getFileName());
        var claim = new Claim(LOCKED + real, UUID.randomUUID().toString());
        if (!claim.isMade()) {
            return Optional.empty();
        }
        Optional<LockedFile> locked = Optional.empty();
        try {
            locked = lock(real, claim);
            return locked;
        } finally {
            if (locked.isEmpty()) {
                claim.end();
            }
        }
    }

    private static Optional<LockedFile> lock(Path file, Claim claim) throws IOException {
        while (true) {
            FileChannel channel = open(file);
            Optional<FileChannel> again = Optional.empty();
            try {
                if (!isLocked(channel)) {
                    return Optional.empty();
                }
                again = again(file);
                if (again.isPresent()) {
                    return Optional.of(new LockedFile(file, claim, channel, again.get()));
                }
            } finally {
                if (again.isEmpty()) {
                    channel.close();
                }
            }
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return OwnerOnly.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException ofOtherCodeInThisProcess) {
            return false;
        }
    }

    /**
     * The file that we have locked, opened once more by its name, which must not be closed before the lock ends; empty
     * if another file has the name now, because whoever held the lock before us has removed ours. Only an overlap of
     * locks shows it: the number of a removed file may be that of a new one.
     */
    private static Optional<FileChannel> again(Path file) throws IOException {
        FileChannel again = open(file);
        boolean isOurs = false;
        try {
            again.tryLock();
        } catch (OverlappingFileLockException withOurs) {
            isOurs = true;
            return Optional.of(again);
        } finally {
            if (!isOurs) {
                again.close();
            }
        }
        return Optional.empty();
    }

    /** The content of the file, to be read and written; closed by {@link #close}. */
    public FileChannel channel() {
        return channel;
    }

    /** Removes the file, and ends the lock also if that fails; does nothing after {@link #close}. */
    public synchronized void remove() throws IOException {
        if (channel.isOpen()) {
            try (this) {
                Files.deleteIfExists(file); // while it is locked: afterwards it may be of another holder
            }
        }
    }

    /** Ends the lock; does nothing the second time. */
    @Override
    public synchronized void close() throws IOException {
        try (again) {
            channel.close();
        } finally {
            claim.end();
        }
    }
}
