package io.sluice.sstable.data;

/**
 * The insertion of a row, by which it exists even without cells. Immutable.
 *
 * @param timestamp microseconds
 * @param ttl seconds, 0 if it does not expire
 * @param localDeletionTime second at which it expires, or {@link DeletionTime#NEVER}
 */
public record Liveness(long timestamp, int ttl, long localDeletionTime) {
    /** The row was not inserted; it has cells or a deletion. */
    public static final Liveness NONE = new Liveness(Long.MIN_VALUE, 0, DeletionTime.NEVER);

    /** Liveness that does not expire. */
    public static Liveness at(long timestamp) {
        return new Liveness(timestamp, 0, DeletionTime.NEVER);
    }

    public boolean isNone() {
        return timestamp == Long.MIN_VALUE;
    }

    public boolean isExpiring() {
        return ttl != 0;
    }
}
