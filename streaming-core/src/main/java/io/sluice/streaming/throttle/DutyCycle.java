package io.sluice.streaming.throttle;

import java.time.Duration;

/**
 * Divides the time of a thread between work and rest, so that others find a processor and a disk free now and then,
 * whatever these are able to do. It rests as soon as it owes a fifth of a millisecond, since a timer is exact to a
 * quarter of that; its caller works in short pieces, because who waits for a processor may wait until one ends. It
 * rests for a twentieth of a second at most, whatever it owes: work that took longer was mostly waiting, for a disk or
 * for other threads. Not thread-safe: confined to that thread.
 */
public final class DutyCycle {
    private static final long SHORTEST_REST_NANOS = 200_000;
    private static final long LONGEST_REST_NANOS = Duration.ofMillis(50).toNanos();
    private static final int ALL_PERCENT = 100;

    private final int percent;
    private long owedNanos;

    /** @param percent share of the time for work, 1 to 100 */
    public DutyCycle(int percent) {
        this.percent = percent;
    }

    /** Whether it never rests. */
    public boolean isFull() {
        return percent == ALL_PERCENT;
    }

    /** How long to rest now, after this much more work, in nanoseconds; 0 to go on. */
    public long restNanos(long workedNanos) {
        owedNanos += Math.max(0, workedNanos) * (ALL_PERCENT - percent) / percent;
        if (owedNanos < SHORTEST_REST_NANOS) {
            return 0;
        }
        long rest = Math.min(owedNanos, LONGEST_REST_NANOS);
        owedNanos = 0; // the excess is forgotten
        return rest;
    }
}
