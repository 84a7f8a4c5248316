package io.sluice.streaming.metrics;

/**
 * How full something is that is bounded. Immutable.
 *
 * @param name as in docs/operations.md, which says what happens at the limit
 * @param unit of both numbers
 * @param used now
 * @param limit never exceeded; {@link #OF_ITS_USERS} if what bounds it is a limit of each user
 */
public record QueueSample(String name, String unit, long used, long limit) {
    /** No limit of its own. */
    public static final long OF_ITS_USERS = 0;
}
