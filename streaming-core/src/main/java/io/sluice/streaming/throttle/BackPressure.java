package io.sluice.streaming.throttle;

import java.time.Duration;

/**
 * Decides how much streaming slows down to protect the database: it halves the current rate at each check with
 * overload, down to a floor, and adds a tenth at each check without, until the limit is lifted. So it finds a rate that
 * the database can sustain, and removes the limit when the machine is idle.
 *
 * <p>Pure; not thread-safe.
 */
public final class BackPressure {
    /** The interval of checks. */
    public static final Duration INTERVAL = Duration.ofMillis(100);

    /** Streaming never stops: a plan without progress would time out. */
    private static final long FLOOR_BYTES_PER_SECOND = 1 << 20;

    private static final double GROWTH = 1.1;
    /** Checks in a row without overload, at half of the limit or less, after which the limit is lifted. */
    private static final int QUIET_CHECKS_TO_LIFT = 20;

    private long limit; // 0: none
    private int quietChecks;

    /**
     * The rate from now on, in bytes per second, 0 for no limit.
     *
     * @param isOverloaded whether the database is overloaded
     * @param flowing the current rate in both directions, in bytes per second
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
