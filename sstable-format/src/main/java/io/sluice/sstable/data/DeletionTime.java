package io.sluice.sstable.data;

/**
 * A deletion of everything written up to and including {@code timestamp}. Immutable.
 *
 * @param timestamp microseconds
 * @param localDeletionTime seconds since 1970 at which the deletion was made; {@link #NEVER} in {@link #LIVE}
 */
public record DeletionTime(long timestamp, long localDeletionTime) {
    /** The local deletion time of data that is neither deleted nor expiring. */
    public static final long NEVER = Long.MAX_VALUE;

    /** No deletion. */
    public static final DeletionTime LIVE = new DeletionTime(Long.MIN_VALUE, NEVER);

    /** Whether this deletes nothing. The timestamp alone decides: versions write the other half differently. */
    public boolean isLive() {
        return timestamp == Long.MIN_VALUE;
    }

    /** Whether this deletes data written at {@code writtenAt}. */
    public boolean deletes(long writtenAt) {
        return !isLive() && writtenAt <= timestamp;
    }

    /** Whether this is later than {@code other}; of equal timestamps, whether its deletion time is. */
    public boolean supersedes(DeletionTime other) {
        return timestamp > other.timestamp
                || (timestamp == other.timestamp && localDeletionTime > other.localDeletionTime);
    }

    /** The one that supersedes the other. */
    public DeletionTime max(DeletionTime other) {
        return other.supersedes(this) ? other : this;
    }
}
