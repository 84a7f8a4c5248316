package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    private static final String LOCK = "lock";

    private final Disk disk;
    private final ArrivalCheck check;
    private final Installer installer;
    private final Path root;
    private final Closeable lock;
    private final Abandoned abandoned;
    private long reservedBytes;

    private StagingArea(Disk disk, TableStore store, ArrivalCheck check, Closeable lock) {
        this.disk = disk;
        this.check = check;
        this.installer = new Installer(disk, store);
        this.root = store.stagingDirectory();
        this.lock = lock;
        this.abandoned = new Abandoned(disk, root, installer);
    }

    /**
     * Locks the staging directory and recovers what a crash left in it: committed sets become live; what has landed of
     * others is kept for a while, in case the transfer is tried again; what nobody understands is put aside.
     *
     * @throws IOException if another process has it, or the disk fails
     */
    public static StagingArea open(TableStore store, Disk disk) throws IOException {
        return open(store, disk, ArrivalCheck.opening());
    }

    /**
     * The same, with another last look at what arrived.
     *
     * @throws IOException if another process has it, or the disk fails
     */
    public static StagingArea open(TableStore store, Disk disk, ArrivalCheck check) throws IOException {
        Path root = store.stagingDirectory();
        disk.createDirectories(root);
        disk.syncDirectory(root.resolveSibling(".").normalize()); // what lies in it must not vanish with its name
        Closeable lock = disk.lock(root.resolve(LOCK));
        try {
            StagingArea area = new StagingArea(disk, store, check, lock);
            new Recovery(disk, store, area.installer, area.abandoned).run(root);
            return area;
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** The set of one table of one plan: a new one, or one that an earlier attempt at the same table has left. */
    public StagedSet begin(UUID planId, TableRef table) throws IOException {
        Path plan = root.resolve(planId.toString());
        Path directory = plan.resolve(table.id().toString());
        disk.createDirectories(plan);
        abandoned.adopt(table, directory);
        disk.createDirectories(directory);
        disk.syncDirectory(root);
        disk.syncDirectory(plan);
        return StagedSet.open(disk, check, table, directory);
    }

    /**
     * Sets room aside, until {@link #release}.
     *
     * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers, if there is not that much room
     */
    public synchronized void reserve(long lengthBytes) throws IOException {
        long usable = disk.usableBytes(root);
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

    /** Bytes set aside and not given back. */
    public synchronized long reservedBytes() {
        return reservedBytes;
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

    /** Whether a set whose install failed has passed the commit point: then it must not be thrown away. */
    public boolean isCommitted(StagedSet set) {
        return installer.isCommitted(set.directory());
    }

    /** Removes a set that shall not become live. */
    public void discard(StagedSet set) throws IOException {
        set.close();
        if (!installer.isCommitted(set.directory())) {
            installer.discard(set.directory());
        }
    }

    /** Ends the use of a set that was not installed, and keeps what has landed of it for a later attempt. */
    public void abandon(StagedSet set) throws IOException {
        if (set.isWorthKeeping() && !installer.isCommitted(set.directory())) {
            set.close();
            abandoned.add(set.table().id(), set.directory());
        } else {
            discard(set);
        }
    }

    /** Removes the directory of a plan, if it has no sets left. */
    public void end(UUID planId) throws IOException {
        Path plan = root.resolve(planId.toString());
        if (disk.list(plan).isEmpty()) {
            disk.delete(plan);
        }
    }

    /** Bytes that are kept of transfers that did not succeed, for their next attempt. */
    public long abandonedBytes() throws IOException {
        return abandoned.bytes();
    }

    /** Everything but the lock: kept sets, sets in use, and what recovery put aside; for tests and operators. */
    public List<Path> leftovers() throws IOException {
        List<Path> left = new ArrayList<>(disk.list(root));
        left.remove(root.resolve(LOCK));
        return left;
    }

    /** Gives the lock back. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            LOG.warn("giving the lock of {} back: {}", root, e.getMessage(), e);
        }
    }
}
