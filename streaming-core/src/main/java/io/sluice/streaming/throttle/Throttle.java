package io.sluice.streaming.throttle;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A leaky bucket: says for how long to pause so that bytes pass at a rate. Thread-safe; whoever takes first passes
 * first, so those who take small pieces in turn share evenly.
 */
public final class Throttle {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** What may pass at once after a silence, or when a timer comes late: a tenth of a second's worth. */
    private static final long BURST_NANOS = NANOS_PER_SECOND / 10;

    /** Pieces of a limited stream: so small that the rate holds over any second, and a change of it within one. */
    private static final int PIECES_PER_SECOND = 20;

    private static final long MIN_PIECE_BYTES = 4 << 10;
    private static final long MAX_PIECE_BYTES = 1 << 20;

    private final AtomicLong bytesPerSecond;
    private long paidUntilNanos; // guarded by this

    /**
     * A bucket that is empty now.
     *
     * @param bytesPerSecond 0 for no limit
     * @param nowNanos the present, on the clock that {@link #take} will be given
     */
    public Throttle(long bytesPerSecond, long nowNanos) {
        this(new AtomicLong(), nowNanos);
        setRate(bytesPerSecond);
    }

    private Throttle(AtomicLong bytesPerSecond, long nowNanos) {
        this.bytesPerSecond = bytesPerSecond;
        this.paidUntilNanos = nowNanos;
    }

    /** Another bucket of the same rate, whichever of the two it is set at. */
    public Throttle another(long nowNanos) {
        return new Throttle(bytesPerSecond, nowNanos);
    }

    /** From now on, {@code rate} bytes per second; 0 for no limit. */
    public final void setRate(long rate) {
        if (rate < 0) {
            throw new IllegalArgumentException("rate: " + rate + " bytes/s (expected: 0 or more)");
        }
        bytesPerSecond.set(rate);
    }

    /** Bytes per second; 0 for no limit. */
    public long rate() {
        return bytesPerSecond.get();
    }

    /** How much to take at once, so that what passes is even; without a limit {@link Integer#MAX_VALUE}. */
    public int pieceBytes() {
        long rate = rate();
        return rate == 0
                ? Integer.MAX_VALUE
                : (int) Math.max(MIN_PIECE_BYTES, Math.min(MAX_PIECE_BYTES, rate / PIECES_PER_SECOND));
    }

    /** Takes {@code bytes}, at most 8 GiB; returns for how many nanoseconds to pause before they pass, 0 for none. */
    public long take(long bytes, long nowNanos) {
        long rate = rate();
        if (rate == 0) {
            return 0;
        }
        synchronized (this) {
            long start = Math.max(paidUntilNanos, nowNanos - BURST_NANOS);
            paidUntilNanos = start + bytes * NANOS_PER_SECOND / rate;
            return Math.max(0, start - nowNanos);
        }
    }
}
