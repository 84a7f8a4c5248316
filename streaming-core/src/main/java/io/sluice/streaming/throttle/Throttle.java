package io.sluice.streaming.throttle;

/**
 * A leaky bucket: tells for how long to pause so that bytes leave at a rate. Not thread-safe: confined to one thread,
 * but for the rate, which anybody may ask and set.
 */
public final class Throttle {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** What may leave at once after a silence: a tenth of a second's worth. */
    private static final long BURST_NANOS = NANOS_PER_SECOND / 10;

    private volatile long bytesPerSecond;
    private long paidUntilNanos;

    /**
     * A bucket that is empty now.
     *
     * @param bytesPerSecond 0 for no limit
     * @param nowNanos the present, on the clock that {@link #take} will be given
     */
    public Throttle(long bytesPerSecond, long nowNanos) {
        setRate(bytesPerSecond);
        this.paidUntilNanos = nowNanos;
    }

    /** From now on, {@code rate} bytes per second; 0 for no limit. */
    public final void setRate(long rate) {
        if (rate < 0) {
            throw new IllegalArgumentException("rate: " + rate + " bytes/s (expected: 0 or more)");
        }
        bytesPerSecond = rate;
    }

    /** Bytes per second; 0 for no limit. */
    public long rate() {
        return bytesPerSecond;
    }

    public boolean isUnlimited() {
        return bytesPerSecond == 0;
    }

    /** Takes {@code bytes}, at most 8 GiB; returns for how many nanoseconds to pause before they leave, 0 for none. */
    public long take(long bytes, long nowNanos) {
        long rate = bytesPerSecond;
        if (rate == 0) {
            return 0;
        }
        long start = Math.max(paidUntilNanos, nowNanos - BURST_NANOS);
        paidUntilNanos = start + bytes * NANOS_PER_SECOND / rate;
        return Math.max(0, start - nowNanos);
    }
}
