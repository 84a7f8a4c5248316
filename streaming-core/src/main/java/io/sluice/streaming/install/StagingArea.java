package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging directory of a node: its lock, its sets, and its recovery. Owned by one process at a time.
 *
 * <p>Thread-safe: different plans may use it at the same time.
 */
public final class StagingArea implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StagingArea.class);
    private static final long HEADROOM_BYTES = 64L << 20;

    private final Disk disk;
    private final TableStore store;
    private final Installer installer;
    private final Path root;
    private final FileChannel lockFile;
    private long reservedBytes;

    private StagingArea(Disk disk, TableStore store, FileChannel lockFile) {
        this.disk = disk;
        this.store = store;
        this.installer = new Installer(disk, store);
        this.root = store.stagingDirectory();
        this.lockFile = lockFile;
    }

    /**
     * Locks the staging directory and recovers what a crash left in it: committed sets become live, all else goes.
     *
     * @throws IOException if another process has it, or the disk fails
     */
    public static StagingArea open(TableStore store, Disk disk) throws IOException {
        Path root = store.stagingDirectory();
        disk.createDirectories(root);
        FileChannel lockFile =
                FileChannel.open(root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (lock(lockFile) == null) {
                throw new IOException(
                        root + ": staging directory is in use by another process (expected: one node on it)");
            }
            StagingArea area = new StagingArea(disk, store, lockFile);
            area.recover();
            return area;
        } catch (IOException | RuntimeException e) {
            lockFile.close();
            throw e;
        }
    }

    private static @org.jspecify.annotations.Nullable FileLock lock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    /** Makes the directory of one set. */
    public StagedSet begin(UUID planId, TableRef table) throws IOException {
        Path directory = root.resolve(planId.toString()).resolve(table.id().toString());
        disk.createDirectories(directory);
        disk.syncDirectory(root);
        disk.syncDirectory(root.resolve(planId.toString()));
        return new StagedSet(disk, table, directory);
    }

    /**
     * Sets room aside, until {@link #release}.
     *
     * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers, if there is not that much room
     */
    public synchronized void reserve(long lengthBytes) throws IOException {
        long usable = Files.getFileStore(root).getUsableSpace();
        long free = usable - reservedBytes - HEADROOM_BYTES;
        if (lengthBytes > free) {
            throw new StreamException(
                    ErrorCode.DISK_FULL,
                    root + ": " + lengthBytes + " bytes are to land, " + free + " are free (" + usable + " usable, "
                            + reservedBytes + " reserved by other transfers, " + HEADROOM_BYTES + " kept back)");
        }
        reservedBytes += lengthBytes;
    }

    /** Gives room back that {@link #reserve} set aside. */
    public synchronized void release(long lengthBytes) {
        reservedBytes -= lengthBytes;
    }

    /**
     * Commits the set and makes it live.
     *
     * @return how many SSTables became live
     * @throws IOException before the commit point nothing became live; after it, recovery will finish the work
     */
    public int install(StagedSet set, UUID installId) throws IOException {
        return installer.install(set, installId);
    }

    /** Removes a set that shall not become live. */
    public void discard(StagedSet set) throws IOException {
        installer.discard(set.directory());
    }

    /** Removes the directory of a plan that has no sets left. */
    public void end(UUID planId) throws IOException {
        disk.delete(root.resolve(planId.toString()));
    }

    private void recover() throws IOException {
        for (Path plan : disk.list(root)) {
            if (Files.isDirectory(plan, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
                for (Path set : disk.list(plan)) {
                    recoverSet(set);
                }
                if (disk.list(plan).isEmpty()) {
                    disk.delete(plan);
                }
            }
        }
    }

    private void recoverSet(Path set) throws IOException {
        Path file = set.resolve(CommitFile.NAME);
        if (!Files.exists(file)) {
            LOG.info("recovery: set {} was not committed, removing it", set);
            installer.discard(set);
            return;
        }
        // The commit file is published whole or not at all: past it, some files may be live already.
        Optional<CommitFile> commit = CommitFile.decode(Files.readAllBytes(file));
        if (commit.isEmpty()) {
            throw new IOException(file + ": damaged, so a committed set cannot be made live (expected: a whole commit"
                    + " file; restore it, or move the folder away and repair the table)");
        }
        Optional<TableRef> table = store.table(commit.get().tableId());
        if (table.isEmpty()) {
            LOG.warn(
                    "recovery: set {} was committed for table {}, which is not known here; it is kept until it is",
                    set,
                    commit.get().tableId());
            return;
        }
        LOG.info("recovery: set {} of {} was committed, making it live", set, table.get());
        installer.rollForward(set, table.get(), commit.get());
    }

    /** Sets that recovery or a failure left behind, for tests and operators. */
    public List<Path> leftovers() throws IOException {
        List<Path> left = new ArrayList<>(disk.list(root));
        left.remove(root.resolve("lock"));
        return left;
    }

    /** Gives the lock back. */
    @Override
    public void close() throws IOException {
        lockFile.close();
    }
}
