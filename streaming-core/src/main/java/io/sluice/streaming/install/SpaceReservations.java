package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Bytes on the volume of staging that are reserved and not written yet. What is written is not counted here: the volume
 * has less room for it already. Thread-safe; no lock is held while the disk is asked, since it may hang.
 */
final class SpaceReservations {
    private final Disk disk;
    private final Path root;
    private final StagingLimits limits;

    // Guarded by this. Both only grow, so that an answer of the disk is set against what was written when it was asked.
    private long takenBytes;
    private long releasedBytes;

    /** Nothing is reserved yet. */
    SpaceReservations(Disk disk, Path root, StagingLimits limits) {
        this.disk = disk;
        this.root = root;
        this.limits = limits;
    }

    /**
     * Sets {@code lengthBytes}, at least 0, aside, until they are written or not wanted any more: {@link #release}.
     *
     * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers, if there is not that much room
     */
    void take(long lengthBytes) throws IOException {
        long releasedBefore = released();
        long usable = disk.usableBytes(root);
        long headroom = limits.headroom(disk.volumeBytes(root));
        synchronized (this) {
            long reservedBytes = takenBytes - releasedBefore;
            long free = usable - headroom - reservedBytes;
            if (lengthBytes < 0 || lengthBytes > free) {
                throw new StreamException(
                        ErrorCode.DISK_FULL,
                        root + ": " + lengthBytes + " bytes are to land, " + Math.max(0, free) + " are free (" + usable
                                + " usable, " + reservedBytes + " reserved for what has not landed yet, " + headroom
                                + " kept back for the database); make room, or fetch less");
            }
            takenBytes += lengthBytes;
        }
    }

    /** Bytes that could be reserved now, at least 0. */
    long freeBytes() throws IOException {
        long releasedBefore = released();
        long usable = disk.usableBytes(root);
        long headroom = limits.headroom(disk.volumeBytes(root));
        synchronized (this) {
            return Math.max(0, usable - headroom - (takenBytes - releasedBefore));
        }
    }

    /** So many of the bytes that were reserved are written, or will not come. */
    synchronized void release(long lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > takenBytes - releasedBytes) {
            throw new IllegalStateException(root + ": " + lengthBytes + " bytes released (expected: 0 to "
                    + (takenBytes - releasedBytes) + ", which are reserved)");
        }
        releasedBytes += lengthBytes;
    }

    private synchronized long released() {
        return releasedBytes;
    }

    /** Bytes that are reserved. */
    synchronized long bytes() {
        return takenBytes - releasedBytes;
    }
}
