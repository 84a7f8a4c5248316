package io.sluice.streaming;

import java.time.Duration;

/**
 * How often a session is retried after a {@link io.sluice.streaming.ErrorCode#isRetryable() retryable} failure before
 * the plan asks another source. Immutable.
 *
 * @param attempts consecutive attempts that transfer no byte, the first included, at least 1; waits for free space or a
 *     place do not count
 * @param maxAttempts attempts in total
 * @param firstPause before the second attempt; each further pause is four times as long, plus or minus a quarter
 * @param longestPause maximum pause
 * @param roomPause how long to wait before checking a full disk again, and the maximum pause after BUSY or LIMIT
 * @param roomTimeout total time of such waits without a byte. A source needs {@link Deadlines#silence} to detect that
 *     this node restarted, and keeps the previous sessions until then: keep this timeout longer than that
 */
public record RetryPolicy(
        int attempts,
        int maxAttempts,
        Duration firstPause,
        Duration longestPause,
        Duration roomPause,
        Duration roomTimeout) {
    private static final Duration PAUSE_FOR_ROOM = Duration.ofSeconds(5);
    private static final Duration PATIENCE_FOR_ROOM = Duration.ofSeconds(60);

    /**
     * Four attempts within seconds, up to fifty while bytes arrive, and one minute for a full disk or a busy source.
     */
    public static final RetryPolicy DEFAULTS = new RetryPolicy(4, 50, Duration.ofMillis(500), Duration.ofSeconds(10));

    /** Default timeout for a full disk or a busy source. */
    public RetryPolicy(int attempts, int maxAttempts, Duration firstPause, Duration longestPause) {
        this(attempts, maxAttempts, firstPause, longestPause, PAUSE_FOR_ROOM, PATIENCE_FOR_ROOM);
    }

    public RetryPolicy {
        if (attempts < 1 || maxAttempts < attempts) {
            throw new IllegalArgumentException("attempts: " + attempts + ", maximum " + maxAttempts
                    + " (expected: at least 1, and a maximum that is not smaller)");
        }
    }

    /**
     * How long to wait before the next attempt.
     *
     * @param failures in a row, at least 1
     * @param random from 0 to 1: jitter, so that sessions that failed together do not retry together
     */
    public Duration pause(int failures, double random) {
        double factor = Math.pow(4, Math.min(failures - 1, 20)) * (0.75 + random / 2);
        double nanos = Math.min(firstPause.toNanos() * factor, (double) longestPause.toNanos());
        return Duration.ofNanos((long) nanos);
    }
}
