package io.sluice.bench.transfer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * When the requests of a client are due: at a steady rate, and in the last second of each five at a multiple of it.
 * Immutable.
 *
 * @param perSecond of the steady rate, 1 to 10,000
 * @param inBurst requests in a second that is a burst, 1 to 10,000; as {@code perSecond} for none
 */
record Arrivals(int perSecond, int inBurst) {
    private static final int PERIOD_SECONDS = 5;
    private static final int MOST_PER_SECOND = 10_000;
    private static final int MICROS_PER_SECOND = (int) TimeUnit.SECONDS.toMicros(1);

    Arrivals {
        if (perSecond < 1 || inBurst < 1 || Math.max(perSecond, inBurst) > MOST_PER_SECOND) {
            throw new IllegalArgumentException(perSecond + " requests a second, " + inBurst
                    + " in a burst (expected: 1 to " + MOST_PER_SECOND + ")");
        }
    }

    /** All in the first {@code seconds}, in microseconds since the start, in their order. */
    List<Integer> dueMicros(int seconds) {
        List<Integer> due = new ArrayList<>();
        for (int second = 0; second < seconds; second++) {
            int requests = isBurst(second) ? inBurst : perSecond;
            for (int i = 0; i < requests; i++) {
                due.add(second * MICROS_PER_SECOND + (int) ((long) i * MICROS_PER_SECOND / requests));
            }
        }
        return due;
    }

    /** Whether what was due then belongs to a burst. */
    static boolean isInBurst(int dueMicros) {
        return isBurst(dueMicros / MICROS_PER_SECOND);
    }

    private static boolean isBurst(int second) {
        return second % PERIOD_SECONDS == PERIOD_SECONDS - 1;
    }
}
