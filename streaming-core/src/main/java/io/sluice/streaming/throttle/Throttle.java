package io.sluice.streaming.throttle;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A leaky bucket: computes pauses so that bytes pass at a given rate. Who takes bytes has a place in the order of all
 * bytes, and waits until the rate has allowed so many: when the rate changes, what still waits waits longer or shorter.
 * What waits can be released, and all behind it move up: who finds a piece too long for a lower rate releases a part of
 * it, and who is gone all.
 *
 * <p>Thread-safe; first come, first served, so that users who take small pieces in turn share the rate evenly.
 */
public final class Throttle {
    /** The place of bytes that pass at once: there was no limit when they were taken. */
    static final Place NO_WAIT = new Place(Double.NEGATIVE_INFINITY, 0);

    private static final double NANOS_PER_SECOND = 1e9;
    /** The burst after an idle time or a late timer: a tenth of a second's worth. */
    private static final double BURST_SECONDS = 0.1;
    /** What has passed at a higher rate is paid for no longer: a piece of it is hours of a very low one. */
    private static final double LONGEST_DEBT_SECONDS = 5;

    /**
     * Pieces of a limited stream are so small that the rate is accurate over any second, and that hundreds of users who
     * take in turn are not silent for as long as a deadline.
     */
    private static final int PIECES_PER_SECOND = 20;

    private static final long MAX_PIECE_BYTES = 1 << 20;

    private final AtomicLong bytesPerSecond;
    // Guarded by this. Bytes since the beginning; exact up to 2^53.
    private double takenBytes;
    private double allowedBytes;
    private long allowedUntilNanos;
    /** The rate since then. */
    private long rateSince;
    /** Those of which the rate has not allowed the first byte, in their order. */
    private final Set<Place> waiting = new LinkedHashSet<>();

    /** The place of bytes that were taken. Not thread-safe: guarded by its throttle. */
    static final class Place {
        private double at;
        private long bytes;

        private Place(double at, long bytes) {
            this.at = at;
            this.bytes = bytes;
        }
    }

    /**
     * Creates a bucket that is empty now.
     *
     * @param bytesPerSecond 0 for no limit
     * @param nowNanos the current time on the clock of {@link #take}
     */
    public Throttle(long bytesPerSecond, long nowNanos) {
        this(new AtomicLong(), nowNanos);
        setRate(bytesPerSecond);
        this.rateSince = bytesPerSecond;
    }

    private Throttle(AtomicLong bytesPerSecond, long nowNanos) {
        this.bytesPerSecond = bytesPerSecond;
        this.allowedUntilNanos = nowNanos;
        this.rateSince = bytesPerSecond.get();
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

    /** The number of bytes to take at once for an even rate; {@link Integer#MAX_VALUE} without a limit. */
    public int pieceBytes() {
        long rate = rate();
        return rate == 0 ? Integer.MAX_VALUE : (int) Math.max(1, Math.min(MAX_PIECE_BYTES, rate / PIECES_PER_SECOND));
    }

    /** Takes {@code bytes}; returns the nanoseconds to pause before they pass if the rate stays, 0 for none. */
    public long take(long bytes, long nowNanos) {
        return pauseNanos(place(bytes, nowNanos), nowNanos);
    }

    /** Takes {@code bytes}; returns their place, for {@link #pauseNanos}. */
    Place place(long bytes, long nowNanos) {
        long rate = rate();
        if (rate == 0) {
            return NO_WAIT;
        }
        synchronized (this) {
            settle(rate, nowNanos);
            Place place = new Place(takenBytes, bytes);
            takenBytes += bytes;
            if (place.at > allowedBytes) {
                waiting.add(place);
            }
            return place;
        }
    }

    /**
     * The nanoseconds to pause before bytes pass that were taken, at the rate of now; 0 for none. What waits while a
     * limit is lifted passes without it.
     */
    long pauseNanos(Place place, long nowNanos) {
        if (place == NO_WAIT) {
            return 0;
        }
        long rate = rate();
        synchronized (this) {
            if (rate == 0) {
                if (waiting.contains(place)) {
                    release(place, place.bytes);
                }
                return 0;
            }
            settle(rate, nowNanos);
            return (long) Math.max(0, (place.at - allowedBytes) * NANOS_PER_SECOND / rate);
        }
    }

    /** Releases {@code bytes} that were taken and do not pass, or what is left of them. */
    synchronized void release(Place place, long bytes) {
        long returned = Math.min(bytes, place.bytes);
        if (returned == 0) {
            return;
        }
        boolean isBehind = !waiting.contains(place); // then all that wait are
        for (Place each : waiting) {
            if (isBehind) {
                each.at -= returned;
            }
            isBehind |= each == place;
        }
        takenBytes -= returned;
        place.bytes -= returned;
        if (place.bytes == 0) {
            waiting.remove(place);
        }
    }

    /** Adds what the rate has allowed meanwhile. */
    private void settle(long rate, long nowNanos) {
        long nanos = nowNanos - allowedUntilNanos;
        if (nanos > 0) { // the clocks of two threads may be read in another order
            allowedBytes += nanos * (rateSince / NANOS_PER_SECOND);
            allowedUntilNanos = nowNanos;
        }
        allowedBytes = Math.min(allowedBytes, takenBytes + rate * BURST_SECONDS);
        if (rate < rateSince) {
            double passedBytes =
                    waiting.isEmpty() ? takenBytes : waiting.iterator().next().at;
            allowedBytes = Math.max(allowedBytes, passedBytes - rate * LONGEST_DEBT_SECONDS);
        }
        rateSince = rate;
        Iterator<Place> first = waiting.iterator();
        while (first.hasNext() && first.next().at <= allowedBytes) {
            first.remove();
        }
    }
}
