package io.sluice.streaming.throttle;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A leaky bucket: computes pauses so that bytes pass at a given rate. Thread-safe; first come, first served, so that
 * users who take small pieces in turn share the rate evenly.
 */
public final class Throttle {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** The burst after an idle time or a late timer: a tenth of a second's worth. */
    private static final long BURST_NANOS = NANOS_PER_SECOND / 10;

    /**
     * Pieces of a limited stream are so small that the rate is accurate over any second. Of a slow one they are not:
     * the users of {@link CombinedThrottle} look for a change of the rate while they pause.
     */
    private static final int PIECES_PER_SECOND = 20;

    private static final long MIN_PIECE_BYTES = 4 << 10;
    private static final long MAX_PIECE_BYTES = 1 << 20;
    /** At a lower rate the pause for a piece is longer than a twentieth of a second, up to an hour. */
    private static final long SLOW_BYTES_PER_SECOND = MIN_PIECE_BYTES * PIECES_PER_SECOND;

    private final AtomicLong bytesPerSecond;
    private long paidUntilNanos; // guarded by this
    /** The rate at which that was computed. Guarded by this. */
    private long paidAtRate;

    /**
     * Creates a bucket that is empty now.
     *
     * @param bytesPerSecond 0 for no limit
     * @param nowNanos the current time on the clock of {@link #take}
     */
    public Throttle(long bytesPerSecond, long nowNanos) {
        this(new AtomicLong(), nowNanos);
        setRate(bytesPerSecond);
    }

    private Throttle(AtomicLong bytesPerSecond, long nowNanos) {
        this.bytesPerSecond = bytesPerSecond;
        this.paidUntilNanos = nowNanos;
    }

    /** Creates another bucket that shares the rate of this one, also when it is set on either of them. */
    public Throttle another(long nowNanos) {
        return new Throttle(bytesPerSecond, nowNanos);
    }

    /** Sets the rate in bytes per second; 0 for no limit. */
    public final void setRate(long rate) {
        if (rate < 0) {
            throw new IllegalArgumentException("rate: " + rate + " bytes/s (expected: 0 or more)");
        }
        bytesPerSecond.set(rate);
    }

    /** The rate in bytes per second; 0 for no limit. */
    public long rate() {
        return bytesPerSecond.get();
    }

    /**
     * Whether the pause for a piece is so long at this rate that a higher one must end it. A pause of any other rate is
     * kept, and so is what is owed: a rate that falls and rises again and again would forgive a part of it each time.
     */
    static boolean isSlow(long rate) {
        return rate > 0 && rate < SLOW_BYTES_PER_SECOND;
    }

    /** The number of bytes to take at once for an even rate; {@link Integer#MAX_VALUE} without a limit. */
    public int pieceBytes() {
        long rate = rate();
        return rate == 0
                ? Integer.MAX_VALUE
                : (int) Math.max(MIN_PIECE_BYTES, Math.min(MAX_PIECE_BYTES, rate / PIECES_PER_SECOND));
    }

    /** Takes {@code bytes}, at most 8 GiB; returns the nanoseconds to pause before they pass, 0 for none. */
    public long take(long bytes, long nowNanos) {
        long rate = rate();
        if (rate == 0) {
            return 0;
        }
        synchronized (this) {
            if (isSlow(paidAtRate) && rate > paidAtRate && paidUntilNanos > nowNanos) {
                // What is owed is owed in bytes.
                paidUntilNanos = nowNanos + (long) ((double) (paidUntilNanos - nowNanos) * paidAtRate / rate);
            }
            paidAtRate = rate;
            long start = Math.max(paidUntilNanos, nowNanos - BURST_NANOS);
            paidUntilNanos = start + bytes * NANOS_PER_SECOND / rate;
            return Math.max(0, start - nowNanos);
        }
    }
}
