package io.sluice.streaming.throttle;

import java.time.Duration;

/**
 * Decides how much streaming slows down to protect the database. At the first check with overload it takes a quarter
 * off the current rate, and halves what is left after each further second of overload, down to a floor. A measure of
 * latency looks back over a second or so: for that long it reports what is over already, and a cut at each check would
 * go down to the floor for one slow request.
 *
 * <p>Without overload the limit grows by a tenth at each check until it is near the rate that was too high, and then by
 * a fiftieth, so that most of the time it is a little below what the database can sustain. It is lifted when the limit
 * has not been needed for a while.
 *
 * <p>Pure; not thread-safe.
 */
public final class BackPressure {
    /** The interval of checks. */
    public static final Duration INTERVAL = Duration.ofMillis(100);

    /** Streaming never stops: a plan without progress would time out. */
    private static final long FLOOR_BYTES_PER_SECOND = 1 << 20;

    private static final double FIRST_CUT = 0.75;
    private static final double NEXT_CUT = 0.5;
    private static final long CHECKS_BETWEEN_CUTS = Duration.ofSeconds(1).dividedBy(INTERVAL);
    private static final double GROWTH = 1.1;
    private static final double GROWTH_NEAR = 1.02;
    /** Near is above this part of the rate that was too high. */
    private static final double NEAR = 0.9;
    /** Checks in a row without overload, at half of the limit or less, after which the limit is lifted. */
    private static final int QUIET_CHECKS_TO_LIFT = 20;

    private long limit; // 0: none
    private long tooHigh;
    private boolean wasOverloaded;
    private long checksSinceCut = CHECKS_BETWEEN_CUTS;
    private int quietChecks;

    /**
     * The rate from now on, in bytes per second, 0 for no limit.
     *
     * @param isOverloaded whether the database is overloaded
     * @param flowing the current rate in both directions, in bytes per second
     */
    public long next(boolean isOverloaded, long flowing) {
        checksSinceCut++;
        if (isOverloaded) {
            quietChecks = 0;
            if (checksSinceCut >= CHECKS_BETWEEN_CUTS && flowing > FLOOR_BYTES_PER_SECOND) {
                cut(flowing);
            }
        } else if (limit > 0) {
            quietChecks = flowing < limit / 2 ? quietChecks + 1 : 0;
            limit = quietChecks >= QUIET_CHECKS_TO_LIFT ? 0 : grown();
        }
        wasOverloaded = isOverloaded;
        return limit;
    }

    private void cut(long flowing) {
        boolean isFirst = limit == 0 || !wasOverloaded;
        long rate = limit == 0 ? flowing : Math.min(limit, flowing);
        if (isFirst) {
            tooHigh = rate;
        }
        limit = Math.max(FLOOR_BYTES_PER_SECOND, (long) (rate * (isFirst ? FIRST_CUT : NEXT_CUT)));
        checksSinceCut = 0;
    }

    private long grown() {
        double near = tooHigh * NEAR;
        double next = limit < near ? Math.min(limit * GROWTH, near) : limit * GROWTH_NEAR;
        return (long) Math.min(Math.ceil(next), Long.MAX_VALUE / 2.0);
    }
}
