package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reservation of a set: space for the missing bytes of its files, reduced with each received extent, so that no
 * byte is counted twice. Thread-safe.
 */
final class SetReservation {
    private final StagingVolume volume;

    // Guarded by this.
    private final Map<Descriptor, Map<Component, FileReservation>> claims = new HashMap<>();

    private static final class FileReservation {
        long missingBytes;
        boolean isBegun;

        FileReservation(long missingBytes) {
            this.missingBytes = missingBytes;
        }
    }

    SetReservation(StagingVolume volume) {
        this.volume = volume;
    }

    /**
     * Reserves space for all files of an SSTable, or for none.
     *
     * @param missingBytes missing bytes by file
     * @param removable what is removed if there is too little space, all of the first before the second
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#DISK_FULL}
     * @throws IOException if the disk fails
     */
    void reserve(Descriptor sstable, Map<Component, Long> missingBytes, List<RetainedData> removable)
            throws IOException {
        release(sstable);
        long total = missingBytes.values().stream().mapToLong(Long::longValue).reduce(0, Math::addExact);
        volume.reserve(total, removable);
        Map<Component, FileReservation> files = new EnumMap<>(Component.class);
        missingBytes.forEach((component, bytes) -> files.put(component, new FileReservation(bytes)));
        synchronized (this) {
            claims.put(sstable, files);
        }
    }

    /**
     * Begins a file if there is still space for its missing bytes: others may have written to the volume since the
     * reservation.
     *
     * @param isThere whether the file exists from an earlier attempt: then possibly nothing is missing
     */
    void begin(Descriptor sstable, Component component, boolean isThere) throws IOException {
        long bytes;
        synchronized (this) {
            FileReservation claim = find(sstable, component);
            if (claim == null ? isThere : claim.isBegun) {
                return;
            }
            bytes = claim == null ? 0 : claim.missingBytes;
        }
        volume.begin(bytes);
        synchronized (this) {
            FileReservation claim = find(sstable, component);
            if (claim != null) {
                claim.isBegun = true;
                return;
            }
        }
        volume.end(bytes); // abandoned meanwhile
    }

    /**
     * Records written bytes of a file; when nothing is missing any more they overwrite corrupt bytes, and need no
     * space.
     */
    synchronized void landed(Descriptor sstable, Component component, long lengthBytes) {
        FileReservation claim = find(sstable, component);
        if (claim != null) {
            give(claim, Math.min(lengthBytes, claim.missingBytes));
        }
    }

    private void give(FileReservation claim, long lengthBytes) {
        claim.missingBytes -= lengthBytes;
        volume.release(lengthBytes);
        if (claim.isBegun) {
            volume.end(lengthBytes);
        }
    }

    private @Nullable FileReservation find(Descriptor sstable, Component component) {
        Map<Component, FileReservation> files = claims.get(sstable);
        return files == null ? null : files.get(component);
    }

    /** Releases the reservation of an SSTable for which nothing more is received for now. */
    synchronized void release(Descriptor sstable) {
        Map<Component, FileReservation> files = claims.remove(sstable);
        if (files != null) {
            files.values().forEach(claim -> give(claim, claim.missingBytes));
        }
    }

    /** Releases everything, after the last step of the set. Idempotent. */
    synchronized void close() {
        claims.values().forEach(files -> files.values().forEach(claim -> give(claim, claim.missingBytes)));
        claims.clear();
    }
}
