package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
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
    private static final String LOCK = "lock";

    private final WatchedDisk disk;
    private final ReceivedSSTableCheck check;
    private final Installer installer;
    private final Path root;
    private final StagingLimits limits;
    private final Epochs epochs;
    private final Closeable lock;
    private final AbandonedSets abandoned;
    private final RecoveryReport recovered;
    /** For all that has not landed yet. */
    private final SpaceReservations reserved;
    /** For those files of it that are begun. */
    private final SpaceReservations begun;

    private StagingArea(Opened opened, Options options, Closeable lock) {
        this.disk = opened.disk;
        this.check = options.check();
        this.limits = options.limits();
        this.epochs = opened.epochs;
        this.installer = opened.installer;
        this.root = opened.root;
        this.lock = lock;
        this.abandoned = opened.abandoned;
        this.recovered = opened.recovered;
        this.reserved = new SpaceReservations(disk, root, limits);
        this.begun = new SpaceReservations(disk, root, limits);
    }

    /** What opening has found. */
    private record Opened(
            Path root,
            WatchedDisk disk,
            Epochs epochs,
            Installer installer,
            AbandonedSets abandoned,
            RecoveryReport recovered) {}

    /**
     * How a staging area is to be used. Immutable.
     *
     * @param check the last look at what arrived
     * @param node whose staging area it is: what another node has left in it is put aside; empty if nobody is to be
     *     told apart
     */
    public record Options(ReceivedSSTableCheck check, StagingLimits limits, Optional<UUID> node) {
        /** Each SSTable is opened before it is installed; the default limits. */
        public static final Options DEFAULTS = new Options(ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS);

        /** Of no node in particular. */
        public Options(ReceivedSSTableCheck check, StagingLimits limits) {
            this(check, limits, Optional.empty());
        }
    }

    /**
     * Locks the staging directory and recovers what a crash left in it: committed sets become live; what has landed of
     * others is kept for a while, in case the transfer is tried again; what nobody understands is put aside. Where the
     * database fails ({@link StreamException} or IOException), the set in question waits for the next start.
     *
     * @throws IOException if another process has it, or the disk fails
     */
    public static StagingArea open(TableStore store, Disk disk) throws IOException {
        return open(store, disk, Options.DEFAULTS);
    }

    /**
     * The same, with other options.
     *
     * @throws IOException if another process has it, it cannot be written to, or the disk fails
     */
    public static StagingArea open(TableStore store, Disk real, Options options) throws IOException {
        Path root = store.stagingDirectory();
        WatchedDisk disk = new WatchedDisk(real, why -> {
            LOG.error("{}: nothing more is installed until this node starts again: {}", root, why);
            store.diskFailed(root, why);
        });
        disk.createDirectories(root);
        disk.syncDirectory(root.resolveSibling(".").normalize()); // what lies in it must not vanish with its name
        Closeable lock = disk.lock(root.resolve(LOCK));
        try {
            DirectoryProbe.staging(disk, root);
            Installer installer = new Installer(disk, store);
            AbandonedSets abandoned = new AbandonedSets(disk, root, installer, options.limits());
            Recovery recovery = new Recovery(disk, store, installer, abandoned);
            if (options.node().isPresent()) {
                UUID node = options.node().get();
                if (Owner.isOfAnother(disk, root, node)) {
                    recovery.putAside(
                            root, "it is of another node than this one, " + node + ": a copied data directory");
                }
                Owner.claim(disk, root, node);
            }
            Epochs epochs = Epochs.open(disk, root);
            StagingArea area = new StagingArea(
                    new Opened(root, disk, epochs, installer, abandoned, recovery.run(root)), options, lock);
            area.probe(store);
            return area;
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    /** A table that cannot be installed keeps no other from being so, and no node from starting: the log says why. */
    private void probe(TableStore store) {
        VirtualMachineErrors fatal = new VirtualMachineErrors();
        try {
            probeAll(store);
        } catch (StreamException e) {
            fatal.note(e);
            LOG.error("{}: whether tables can be installed is not known: {}", root, e.getMessage(), e);
        }
        fatal.handOn();
    }

    private void probeAll(TableStore store) {
        for (TableRef table : store.knownTables()) {
            try {
                DirectoryProbe.live(disk, root, store.liveDirectory(table));
            } catch (IOException | StreamException e) {
                LOG.error("{}: {}", table, e.getMessage(), e);
            }
        }
    }

    /**
     * An operation is about to fetch: from now on those of older epochs install nothing in the same ranges.
     *
     * @throws StreamException of code {@link ErrorCode#FENCED} if a newer one was admitted before
     * @throws IOException if that cannot be made durable; then it was not admitted
     */
    public void admit(List<Fence> fences) throws IOException {
        epochs.admit(fences);
    }

    /** The set of a table of an operation whose database gives no epochs. */
    public StagedSet begin(UUID planId, TableRef table) throws IOException {
        return begin(planId, table, Fence.none(table.id()));
    }

    /**
     * The set of one table of one plan: a new one, or one that an earlier attempt at the same table has left.
     *
     * @param fence of the operation, which was admitted
     */
    public StagedSet begin(UUID planId, TableRef table, Fence fence) throws IOException {
        Path plan = root.resolve(planId.toString());
        Path directory = directory(planId, table);
        disk.createDirectories(plan);
        abandoned.adopt(table, directory);
        disk.createDirectories(directory);
        disk.syncDirectory(root);
        disk.syncDirectory(plan);
        return StagedSet.open(this, planId, table, fence, directory);
    }

    private Path directory(UUID planId, TableRef table) {
        return root.resolve(planId.toString()).resolve(table.id().toString());
    }

    /**
     * Makes a table live that an earlier execution of the plan has committed; else does nothing. If the database does
     * not want it any more, it is removed.
     *
     * @return what became live now; empty if nothing did
     * @throws StreamException if the database fails
     * @throws IOException likewise, or if the disk fails; recovery will finish the work
     */
    public Optional<InstallSummary> finishCommitted(UUID planId, TableRef table) throws IOException {
        return installer.finishCommitted(directory(planId, table), table);
    }

    /** Whether an earlier execution of the plan has committed the table, and not finished. */
    public boolean isCommitted(UUID planId, TableRef table) {
        return installer.isCommitted(directory(planId, table));
    }

    /** On which it lies: its errors name file and operation, and after a failed sync it makes nothing durable. */
    public Disk disk() {
        return disk;
    }

    ReceivedSSTableCheck check() {
        return check;
    }

    /**
     * Refuses to go on with a table that was dropped.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED}
     */
    public void requireTable(TableRef table) {
        installer.requireTable(table);
    }

    Epochs epochs() {
        return epochs;
    }

    /**
     * Others may have written to the volume since room was set aside: a file is begun only if what is missing of it,
     * and of the files that were begun before, does not touch the headroom. Until {@link #end}.
     *
     * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers
     */
    void begin(long lengthBytes) throws IOException {
        begun.take(lengthBytes);
    }

    /** So many bytes of files that were begun are written, or will not come. */
    void end(long lengthBytes) {
        begun.give(lengthBytes);
    }

    /**
     * Sets room aside for bytes that will be written to staging, at least 0: until {@link #release}. What a
     * {@link StagedSet} is to receive it reserves itself.
     *
     * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers, if there is not that much room
     */
    public void reserve(long lengthBytes) throws IOException {
        disk.requireTrust();
        reserved.take(lengthBytes);
    }

    /**
     * Gives room back that {@link #reserve} set aside: as soon as so many bytes are written, since the volume counts
     * them from then on, or when they will not come.
     */
    public void release(long lengthBytes) {
        reserved.give(lengthBytes);
    }

    /**
     * How many bytes may land now: free room, and what is kept of transfers that did not succeed, which their next
     * attempt need not fetch again. Another transfer may take it in the next moment: {@link #reserve} decides.
     */
    public long roomBytes() throws IOException {
        return Math.addExact(reserved.freeBytes(), abandoned.bytes());
    }

    /** The directory that everything lands in first. */
    public Path root() {
        return root;
    }

    /** Bytes that room is set aside for, and that have not landed yet. */
    public long reservedBytes() {
        return reserved.bytes();
    }

    /**
     * Commits the set and makes it live; one that was committed before, and whose database has not answered, is made
     * live.
     *
     * @return how many SSTables became live
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the database does not want it: it is gone then
     * @throws IOException before the commit point nothing became live; after it, another call or recovery will finish
     *     the work
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

    /**
     * Removes what is kept of transfers that broke off too long ago. To be called now and then: since the clock of the
     * wall may jump, an age counts only if it is seen twice, an hour of uptime apart.
     *
     * @param nowMillis since 1970, by the clock of the wall
     * @param uptimeNanos by a clock that only goes forward
     */
    public void expire(long nowMillis, long uptimeNanos) throws IOException {
        abandoned.expire(nowMillis, uptimeNanos);
    }

    /** What was found when it was opened, and done about it. */
    public RecoveryReport recovered() {
        return recovered;
    }

    /** Why nothing more is installed in this process; empty if all is well. */
    public Optional<String> suspicion() {
        return disk.suspicion();
    }

    /** Kept sets, sets in use, and what recovery put aside; for tests and operators. */
    public List<Path> leftovers() throws IOException {
        List<Path> left = new ArrayList<>(disk.list(root));
        left.removeAll(List.of(
                root.resolve(LOCK),
                root.resolve(Epochs.NAME),
                root.resolve(Owner.NAME),
                root.resolve(CompletePlans.NAME)));
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
