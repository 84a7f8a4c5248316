package io.sluice.streaming.throttle;

/**
 * A leaky bucket: tells for how long to pause so that bytes leave at a rate. Not thread-safe: confined to one thread,
 * but for {@link #isUnlimited}.
 */
public final class Throttle {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** What may leave at once after a silence: a tenth of a second's worth. */
    private static final long BURST_NANOS = NANOS_PER_SECOND / 10;

    private final long bytesPerSecond;
    private long paidUntilNanos;

    /**
     * A bucket that is empty now.
     *
     * @param bytesPerSecond 0 for no limit
     * @param nowNanos the present, on the clock that {@link #take} will be given
     */
    public Throttle(long bytesPerSecond, long nowNanos) {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("rate: " + bytesPerSecond + " bytes/s (expected: 0 or more)");
        }
        this.bytesPerSecond = bytesPerSecond;
        this.paidUntilNanos = nowNanos;
    }

    public boolean isUnlimited() {
        return bytesPerSecond == 0;
    }

    /** Takes {@code bytes}, at most 8 GiB; returns for how many nanoseconds to pause before they leave, 0 for none. */
    public long take(long bytes, long nowNanos) {
        if (isUnlimited()) {
            return 0;
        }
        long start = Math.max(paidUntilNanos, nowNanos - BURST_NANOS);
        paidUntilNanos = start + bytes * NANOS_PER_SECOND / bytesPerSecond;
        return Math.max(0, start - nowNanos);
    }
}
