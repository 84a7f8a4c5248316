package io.sluice.streaming.throttle;

import java.time.Duration;

/**
 * Decides how much streaming holds itself back for the sake of the database: half of what flows whenever it is
 * overloaded, down to a floor; a tenth more at each look when it does not, until nothing is held back any more. So it
 * finds a rate with which both can live, and lifts the limit when the machine is idle.
 *
 * <p>Pure; not thread-safe.
 */
public final class BackPressure {
    /** How often to look. */
    public static final Duration INTERVAL = Duration.ofMillis(100);

    /** Streaming never stands still: a plan that makes no progress would be taken for dead. */
    private static final long FLOOR_BYTES_PER_SECOND = 1 << 20;

    private static final double GROWTH = 1.1;
    /** Checks in a row without overload, at half of the limit or less, after which the limit is lifted. */
    private static final int QUIET_CHECKS_TO_LIFT = 20;

    private long limit; // 0: none
    private int quietChecks;

    /**
     * The rate from now on, in bytes per second, 0 for no limit.
     *
     * @param isOverloaded whether the database is
     * @param flowing what flows now, in both directions, in bytes per second
     */
    public long next(boolean isOverloaded, long flowing) {
        if (isOverloaded) {
            quietChecks = 0;
            long now = limit == 0 ? flowing : Math.min(limit, Math.max(flowing, FLOOR_BYTES_PER_SECOND));
            limit = Math.max(FLOOR_BYTES_PER_SECOND, now / 2);
        } else if (limit > 0) {
            quietChecks = flowing < limit / 2 ? quietChecks + 1 : 0;
            limit = quietChecks >= QUIET_CHECKS_TO_LIFT ? 0 : (long) Math.min(limit * GROWTH, Long.MAX_VALUE / 2.0);
        }
        return limit;
    }
}
