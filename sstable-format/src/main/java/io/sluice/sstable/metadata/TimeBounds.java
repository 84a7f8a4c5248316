package io.sluice.sstable.metadata;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;

/**
 * Bounds of all times in an SSTable. They must enclose them; wider bounds are valid. Immutable.
 *
 * @param timestamps microseconds
 * @param localDeletionTimes seconds; {@link #noDeletionTime} stands for "none"
 * @param ttls seconds
 */
public record TimeBounds(Bounds timestamps, Bounds localDeletionTimes, Bounds ttls) {

    /** A minimum and a maximum, both included. */
    public record Bounds(long least, long greatest) {}

    private static final long NO_DELETION_TIME = 0xffffffffL;

    /** The value for "no local deletion time": the maximum of its field. */
    public static long noDeletionTime(Version version) {
        return version.hasUnsignedDeletionTimes() ? NO_DELETION_TIME : Integer.MAX_VALUE;
    }

    static TimeBounds read(ComponentInput in, Version version) throws IOException {
        long mask = version.hasUnsignedDeletionTimes() ? NO_DELETION_TIME : -1L; // from 5.0 on the seconds are unsigned
        return new TimeBounds(
                new Bounds(in.readLong(), in.readLong()),
                new Bounds(in.readInt() & mask, in.readInt() & mask),
                new Bounds(in.readInt(), in.readInt()));
    }

    void write(GrowingBuffer out) {
        out.putLong(timestamps.least()).putLong(timestamps.greatest());
        out.putInt((int) localDeletionTimes.least()).putInt((int) localDeletionTimes.greatest());
        out.putInt((int) ttls.least()).putInt((int) ttls.greatest());
    }
}
