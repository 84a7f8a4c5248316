package io.sluice.streaming.throttle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

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
 * <p>What is a sign of overload only, and no report of the database, may cost no more than two fifths of the rate that
 * flowed without a limit, on average over the second before the first cut: before a second has flowed, nothing is cut.
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

    private static final double KEPT_AT_A_SIGN = 0.6;

    private final double kept;
    private final Deque<Long> unlimited = new ArrayDeque<>(); // what flowed at the last checks without a limit
    private double usual; // what flows without a limit, as far as that was seen
    private long limit; // 0: none
    private long tooHigh;
    private boolean wasOverloaded;
    private long checksSinceCut = CHECKS_BETWEEN_CUTS;
    private int quietChecks;

    private BackPressure(double kept) {
        this.kept = kept;
    }

    /** For a database that reports that it is overloaded. */
    public static BackPressure ofReports() {
        return new BackPressure(0);
    }

    /** For signs that it may be. */
    public static BackPressure ofSigns() {
        return new BackPressure(KEPT_AT_A_SIGN);
    }

    /**
     * The rate from now on, in bytes per second, 0 for no limit.
     *
     * @param isOverloaded whether the database is overloaded
     * @param flowing the current rate in both directions, in bytes per second
     */
    public long next(boolean isOverloaded, long flowing) {
        checksSinceCut++;
        if (limit == 0) {
            remember(flowing);
        }
        if (isOverloaded) {
            quietChecks = 0;
            if (checksSinceCut >= CHECKS_BETWEEN_CUTS && flowing > FLOOR_BYTES_PER_SECOND && isKnown()) {
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
        double average = unlimited.stream().mapToLong(Long::longValue).average().orElse(0);
        usual = limit == 0 ? average : Math.max(usual, (double) rate);
        long least = Math.max(FLOOR_BYTES_PER_SECOND, (long) (usual * kept));
        limit = Math.max(least, (long) (rate * (isFirst ? FIRST_CUT : NEXT_CUT)));
        checksSinceCut = 0;
    }

    private void remember(long flowing) {
        unlimited.addLast(flowing);
        if (unlimited.size() > CHECKS_BETWEEN_CUTS) {
            unlimited.removeFirst();
        }
        if (unlimited.stream().allMatch(one -> one == 0)) {
            unlimited.clear(); // nothing streams: what begins is judged by itself
        }
    }

    /** Whether a sign can be judged by what has flowed; a report needs no judgement. */
    private boolean isKnown() {
        return kept == 0 || limit > 0 || unlimited.size() == CHECKS_BETWEEN_CUTS;
    }

    private long grown() {
        double near = tooHigh * NEAR;
        double next = limit < near ? Math.min(limit * GROWTH, near) : limit * GROWTH_NEAR;
        return (long) Math.min(Math.ceil(next), Long.MAX_VALUE / 2.0);
    }
}
