package io.sluice.streaming;

import java.time.Duration;

/**
 * How often a session is tried again before another source is asked, if its failure
 * {@link io.sluice.streaming.ErrorCode#isRetryable() may be tried again}. Immutable.
 *
 * @param attempts in a row without a byte, the first included, at least 1; those that wait do not count
 * @param maxAttempts in all, whatever they bring
 * @param firstPause before the second attempt; four times as long before each next one, give or take a quarter
 * @param longestPause no pause is longer
 * @param pauseForRoom how long to wait on a disk that has become full before looking again; no pause is longer for a
 *     place at a source that has none: BUSY or LIMIT
 * @param patienceForRoom how long to wait so in all without a byte. A source takes {@link Deadlines#silence} to notice
 *     that this node was restarted, and keeps the places of the sessions of before until then: whoever makes that
 *     longer than half a minute makes it longer, too
 */
public record RetryPolicy(
        int attempts,
        int maxAttempts,
        Duration firstPause,
        Duration longestPause,
        Duration pauseForRoom,
        Duration patienceForRoom) {
    private static final Duration PAUSE_FOR_ROOM = Duration.ofSeconds(5);
    private static final Duration PATIENCE_FOR_ROOM = Duration.ofSeconds(60);

    /**
     * Four attempts within some seconds; as long as bytes come, up to fifty; a minute on a full disk, or for a place.
     */
    public static final RetryPolicy DEFAULTS = new RetryPolicy(4, 50, Duration.ofMillis(500), Duration.ofSeconds(10));

    /** How long a session waits by default on a full disk, and for a slot. */
    public RetryPolicy(int attempts, int maxAttempts, Duration firstPause, Duration longestPause) {
        this(attempts, maxAttempts, firstPause, longestPause, PAUSE_FOR_ROOM, PATIENCE_FOR_ROOM);
    }

    public RetryPolicy {
        if (attempts < 1 || maxAttempts < attempts) {
            throw new IllegalArgumentException("attempts: " + attempts + ", in all " + maxAttempts
                    + " (expected: at least 1, and in all no fewer)");
        }
    }

    /**
     * How long to wait before the next attempt.
     *
     * @param failures in a row, at least 1
     * @param random from 0 to 1: so that those who failed together do not come back together
     */
    public Duration pause(int failures, double random) {
        double factor = Math.pow(4, Math.min(failures - 1, 20)) * (0.75 + random / 2);
        double nanos = Math.min(firstPause.toNanos() * factor, (double) longestPause.toNanos());
        return Duration.ofNanos((long) nanos);
    }
}
