package io.sluice.streaming.install;

import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging directory of one data volume: its lock, its room, what is kept there of transfers that broke off, and
 * whether the volume is trusted. Thread-safe.
 */
final class StagingVolume {
    private static final Logger LOG = LoggerFactory.getLogger(StagingVolume.class);
    private static final String LOCK = "lock";

    private final TableStore.Volume spec;
    private final Path root;
    private final WatchedDisk disk;
    private final Closeable lock;
    private final Optional<UUID> id;
    private final AbandonedSets abandoned;
    /** For all that has not landed yet. */
    private final SpaceReservations reserved;
    /** For those files of it that are begun. */
    private final SpaceReservations begun;

    private StagingVolume(
            TableStore.Volume spec,
            WatchedDisk disk,
            Closeable lock,
            Optional<UUID> id,
            StagingLimits limits,
            Predicate<UUID> isDropped) {
        this.spec = spec;
        this.root = spec.stagingDirectory();
        this.disk = disk;
        this.lock = lock;
        this.id = id;
        this.abandoned = new AbandonedSets(disk, root, isDropped, limits);
        this.reserved = new SpaceReservations(disk, root, limits);
        this.begun = new SpaceReservations(disk, root, limits);
    }

    /**
     * What a volume is opened with.
     *
     * @param hasOthers whether another volume could take over from this one
     * @param onFailure notified once why it is trusted no longer
     * @param newId for a volume that has none, if it is one of several
     * @param isDropped whether nobody will ever want what was received of a table
     */
    record How(
            StagingLimits limits,
            BooleanSupplier hasOthers,
            Consumer<String> onFailure,
            Optional<Supplier<UUID>> newId,
            Predicate<UUID> isDropped) {}

    /**
     * Locks the directory, which is made if need be, and tries whether it can be written to.
     *
     * @throws DirectoryInUseException if another process has it
     * @throws IOException if it cannot be used
     */
    static StagingVolume open(Disk real, TableStore.Volume spec, How how) throws IOException {
        Path root = spec.stagingDirectory();
        WatchedDisk disk = new WatchedDisk(real, root, how.hasOthers(), how.onFailure());
        disk.createDirectories(root);
        disk.syncDirectory(root.resolveSibling(".").normalize()); // what lies in it must not vanish with its name
        Closeable lock = disk.lock(root.resolve(LOCK));
        try {
            DirectoryProbe.staging(disk, root);
            return new StagingVolume(
                    spec, disk, lock, VolumeId.open(disk, root, how.newId()), how.limits(), how.isDropped());
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    /** As the database names it. */
    TableStore.Volume spec() {
        return spec;
    }

    /** The staging directory. */
    Path root() {
        return root;
    }

    /** Its errors name file and operation, and after a failed sync it makes nothing durable. */
    WatchedDisk disk() {
        return disk;
    }

    /** What commit files on other volumes call it; a volume that was never one of several has none. */
    Optional<UUID> id() {
        return id;
    }

    /** Whether something may land here. */
    boolean isTrusted() {
        return disk.untrustedReason().isEmpty();
    }

    AbandonedSets abandoned() {
        return abandoned;
    }

    /** Bytes that could be reserved now, at least 0. */
    long freeBytes() throws IOException {
        return reserved.freeBytes();
    }

    /** Bytes that are reserved. */
    long reservedBytes() {
        return reserved.bytes();
    }

    /**
     * Reserves room.
     *
     * @throws StreamException of code DISK_FULL, with the numbers, if there is not that much room
     */
    void reserve(long lengthBytes) throws IOException {
        disk.requireTrust();
        reserved.take(lengthBytes);
    }

    /** So many bytes that were reserved are written, or will not come. */
    void release(long lengthBytes) {
        reserved.release(lengthBytes);
    }

    /**
     * Others may have written to the volume since room was reserved: a file is begun only if what is missing of it, and
     * of the files that were begun before, does not touch the headroom. Until {@link #end}.
     *
     * @throws StreamException of code DISK_FULL, with the numbers
     */
    void begin(long lengthBytes) throws IOException {
        begun.take(lengthBytes);
    }

    /** So many bytes of files that were begun are written, or will not come. */
    void end(long lengthBytes) {
        begun.release(lengthBytes);
    }

    SetFolder folder(SetName name) {
        return new SetFolder(this, name);
    }

    /** Removes the folder of a plan, if it has no sets left. */
    void endPlan(String plan) throws IOException {
        Path folder = root.resolve(plan);
        if (disk.list(folder).isEmpty()) {
            disk.delete(folder);
        }
    }

    /** Gives the lock back. */
    void close() {
        try {
            lock.close();
        } catch (IOException e) {
            LOG.warn("cannot release the lock of {}: {}", root, e.getMessage(), e);
        }
    }

    static boolean isOwnFile(String name) {
        return name.equals(LOCK)
                || name.equals(Epochs.NAME)
                || name.equals(Owner.NAME)
                || name.equals(VolumeId.NAME)
                || name.equals(CompletePlans.NAME);
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
