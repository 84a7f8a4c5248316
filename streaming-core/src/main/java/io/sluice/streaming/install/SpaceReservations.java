package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The reserved and unwritten bytes of a staging volume. Written bytes are not counted: they already reduce the free
 * space of the volume. Thread-safe; holds no lock during a call of the disk, which may hang.
 */
final class SpaceReservations {
    private final Disk disk;
    private final Path root;
    private final Headroom headroom;

    // Guarded by this. Both only grow, so that a free-space value can be compared with the state when it was read.
    private long takenBytes;
    private long releasedBytes;

    /** Starts without reservations. */
    SpaceReservations(Disk disk, Path root, Headroom headroom) {
        this.disk = disk;
        this.root = root;
        this.headroom = headroom;
    }

    /**
     * Reserves {@code lengthBytes}, at least 0, until {@link #release}: when they are written or no longer needed.
     *
     * @throws IllegalArgumentException if they are less than 0
     * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers, if there is not enough space
     */
    void take(long lengthBytes) throws IOException {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException(root + ": " + lengthBytes + " bytes to reserve (expected: at least 0)");
        }
        long releasedBefore = released();
        long usable = disk.usableBytes(root);
        long kept = headroom.last();
        synchronized (this) {
            long reservedBytes = takenBytes - releasedBefore;
            long free = usable - kept - reservedBytes;
            if (lengthBytes > free) {
                throw new StreamException(
                        ErrorCode.DISK_FULL,
                        root + ": " + lengthBytes + " bytes are needed, " + Math.max(0, free) + " are free (" + usable
                                + " usable, " + reservedBytes + " reserved for extents not received yet, " + kept
                                + " headroom for the database); free space, or fetch less");
            }
            takenBytes += lengthBytes;
        }
    }

    /** The bytes that can be reserved now, at least 0. */
    long freeBytes() throws IOException {
        return Math.max(0, -missingBytes(0));
    }

    /**
     * The bytes that must become free before {@code lengthBytes} can be reserved; 0 or less if none. More than
     * {@code lengthBytes} if others use a part of the headroom.
     */
    long missingBytes(long lengthBytes) throws IOException {
        long releasedBefore = released();
        long usable = disk.usableBytes(root);
        long kept = headroom.measure();
        synchronized (this) {
            return lengthBytes + kept + (takenBytes - releasedBefore) - usable;
        }
    }

    /** Releases reserved bytes that are written, or no longer needed. */
    synchronized void release(long lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > takenBytes - releasedBytes) {
            throw new IllegalStateException(root + ": " + lengthBytes + " bytes released (expected: 0 to "
                    + (takenBytes - releasedBytes) + ", the reserved bytes)");
        }
        releasedBytes += lengthBytes;
    }

    private synchronized long released() {
        return releasedBytes;
    }

    /** The reserved bytes. */
    synchronized long bytes() {
        return takenBytes - releasedBytes;
    }
}
