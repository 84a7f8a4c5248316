package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import io.sluice.streaming.store.TableStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging directory of one data volume: its lock, its reservations, its retained sets, and whether the volume is
 * trusted. Thread-safe.
 */
final class StagingVolume {
    private static final Logger LOG = LoggerFactory.getLogger(StagingVolume.class);
    static final String LOCK = "lock";

    private final TableStore.Volume spec;
    private final Path root;
    private final WatchedDisk disk;
    private final Closeable lock;
    private final Optional<UUID> id;
    /** Whether it was too full for the id that one of several volumes needs: it has data, and gets no more. */
    private final boolean lacksId;

    private final AbandonedSets abandoned;
    private final Headroom headroom;
    /** Reservations of all missing extents. */
    private final SpaceReservations reserved;
    /** Reservations of files that were begun. */
    private final SpaceReservations begun;

    /** Held while retained data is removed, so that no two sessions do it for the same missing bytes. */
    private final Object removing = new Object();

    private final AtomicBoolean isMeasuring = new AtomicBoolean();
    private volatile Room room = new Room(0, 0);

    /** The last measured free space. */
    private record Room(long usableBytes, long headroomBytes) {}

    private StagingVolume(TableStore.Volume spec, WatchedDisk disk, Closeable lock, Optional<UUID> id, How how) {
        this.spec = spec;
        this.root = spec.stagingDirectory();
        this.disk = disk;
        this.lock = lock;
        this.id = id;
        this.lacksId = how.newId().isPresent() && id.isEmpty();
        this.abandoned = new AbandonedSets(disk, root, how.isDropped(), how.limits());
        this.headroom = new Headroom(disk, root, how.limits());
        this.reserved = new SpaceReservations(disk, root, headroom);
        this.begun = new SpaceReservations(disk, root, headroom);
    }

    /**
     * Parameters for opening a volume.
     *
     * @param hasOthers whether another volume could take over from this one
     * @param onFailure notified once why the volume became untrusted
     * @param newId supplies an id for a volume without one, if there are several volumes
     * @param isDropped whether a table was dropped, so that its received data is never needed
     */
    record How(
            StagingLimits limits,
            BooleanSupplier hasOthers,
            Consumer<String> onFailure,
            Optional<Supplier<UUID>> newId,
            Predicate<UUID> isDropped) {}

    /**
     * Locks the directory, which is created if necessary, and checks that it is writable.
     *
     * @throws DirectoryInUseException if another process uses it
     * @throws IOException if it is unusable
     */
    static StagingVolume open(Disk real, TableStore.Volume spec, How how) throws IOException {
        Path root = spec.stagingDirectory();
        WatchedDisk disk = new WatchedDisk(real, root, how.hasOthers(), how.onFailure());
        disk.createDirectories(root);
        disk.syncDirectory(root.resolveSibling(".").normalize()); // makes the name of the directory durable
        Closeable lock = disk.lock(root.resolve(LOCK));
        try {
            DirectoryProbe.staging(disk, root);
            return new StagingVolume(spec, disk, lock, VolumeId.open(disk, root, how.newId()), how);
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    /** The volume as the database names it. */
    TableStore.Volume spec() {
        return spec;
    }

    /** The staging directory. */
    Path root() {
        return root;
    }

    /** The disk: its errors name file and operation, and after a failed sync it makes nothing durable. */
    WatchedDisk disk() {
        return disk;
    }

    /**
     * Its id, which commit files on other volumes refer to; empty if it was never one of several volumes, or was full
     * when it became one: then space is reserved on it from the next start on.
     */
    Optional<UUID> id() {
        return id;
    }

    /** Whether it may receive files. */
    boolean isTrusted() {
        return disk.untrustedReason().isEmpty();
    }

    AbandonedSets abandoned() {
        return abandoned;
    }

    /** The bytes that can be reserved now, at least 0. */
    long freeBytes() throws IOException {
        return lacksId ? 0 : reserved.freeBytes();
    }

    /** The bytes that could be reserved if all sets of failed plans were removed, at least 0. */
    long roomBytes() throws IOException {
        return lacksId ? 0 : Math.max(0, abandoned.bytes() - reserved.missingBytes(0));
    }

    /** The reserved bytes. */
    long reservedBytes() {
        return reserved.bytes();
    }

    /** Measures the free space, unless another thread is waiting for the disk already: it may hang. */
    void measure() {
        if (isTrusted() && isMeasuring.compareAndSet(false, true)) {
            try {
                room = new Room(disk.usableBytes(root), headroom.measure());
            } catch (IOException e) {
                LOG.debug("{}: cannot measure the free space: {}", root, e.getMessage());
            } finally {
                isMeasuring.set(false);
            }
        }
    }

    /** The last measured state, and the reservations; from memory. */
    VolumeSample sample() {
        Room last = room;
        long taken = reservedBytes();
        return new VolumeSample(
                root,
                lacksId ? 0 : Math.max(0, last.usableBytes() - last.headroomBytes() - taken),
                taken,
                last.headroomBytes(),
                disk.running(),
                disk.untrustedReason());
    }

    /**
     * Reserves space; if there is too little, first removes retained sets, the oldest first.
     *
     * @throws StreamException of code DISK_FULL, with the numbers, if there is not enough space
     */
    void reserve(long lengthBytes) throws IOException {
        reserve(lengthBytes, List.of(abandoned));
    }

    /**
     * Reserves space; if there is too little, first removes data of {@code removable}, all of the first before the
     * second.
     *
     * @throws StreamException of code DISK_FULL, with the numbers, if there is not enough space
     */
    void reserve(long lengthBytes, List<RetainedData> removable) throws IOException {
        requireId();
        take(reserved, lengthBytes, removable);
    }

    /** Whether it receives nothing until the next start, however much space there is. */
    boolean lacksId() {
        return lacksId;
    }

    /** @throws StreamException of code DISK_FULL if it lacks the id without which one of several receives nothing */
    void requireId() {
        if (lacksId) {
            throw new StreamException(
                    ErrorCode.DISK_FULL,
                    root + ": receives nothing, because it was too full at the start for the file " + VolumeId.NAME
                            + ", which each of several volumes needs; free space there, then restart this node");
        }
    }

    /** Removes nothing if all of it would not be enough, or if the space is there meanwhile. */
    private void take(SpaceReservations from, long lengthBytes, List<RetainedData> removable) throws IOException {
        while (true) {
            disk.requireTrust();
            try {
                from.take(lengthBytes);
                return;
            } catch (StreamException full) {
                if (removable.isEmpty()) {
                    throw full; // without waiting for others, who may be removing much
                }
                synchronized (removing) {
                    long missing = from.missingBytes(lengthBytes);
                    if (missing > 0 && !removeNext(removable, missing)) {
                        throw full;
                    }
                }
            }
        }
    }

    /** Removes the next piece if all of them are enough; returns whether it did. */
    private static boolean removeNext(List<RetainedData> removable, long missingBytes) {
        if (removable.stream().mapToLong(RetainedData::bytes).sum() < missingBytes) {
            return false;
        }
        for (RetainedData some : removable) {
            if (some.removeNext()) {
                return true;
            }
        }
        return false;
    }

    /** Releases reserved bytes that are written, or no longer needed. */
    void release(long lengthBytes) {
        reserved.release(lengthBytes);
    }

    /**
     * Begins a file, until {@link #end}: checks that its missing bytes, and those of files begun before, do not use the
     * headroom, because others may have written to the volume since the reservation. If they do, first removes retained
     * sets, the oldest first.
     *
     * @throws StreamException of code DISK_FULL, with the numbers
     */
    void begin(long lengthBytes) throws IOException {
        take(begun, lengthBytes, List.of(abandoned));
    }

    /** Releases bytes of begun files that are written, or no longer needed. */
    void end(long lengthBytes) {
        begun.release(lengthBytes);
    }

    SetFolder folder(SetName name) {
        return new SetFolder(this, name);
    }

    /**
     * What lies in the staging directory, which itself may be a symbolic link to a directory.
     *
     * @throws IOException also if the link leads nowhere
     */
    List<Path> entries() throws IOException {
        return disk.list(behindLink(root)).stream()
                .map(entry -> root.resolve(entry.getFileName()))
                .toList();
    }

    /**
     * Names the directory itself where the last name of {@code root} may be a link, which a {@link Disk} does not
     * follow.
     */
    static Path behindLink(Path root) {
        return root.resolve(".");
    }

    /** Removes the folder of a plan if it has no sets. */
    void endPlan(String plan) throws IOException {
        Path folder = root.resolve(plan);
        if (disk.list(folder).isEmpty()) {
            disk.delete(folder);
        }
    }

    /** Releases the lock. */
    void close() {
        try {
            lock.close();
        } catch (IOException e) {
            LOG.warn("cannot release the lock of {}: {}", root, e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
