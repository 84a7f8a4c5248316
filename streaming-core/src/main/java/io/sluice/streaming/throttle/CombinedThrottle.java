package io.sluice.streaming.throttle;

import java.util.List;

/** Limits that all hold for the same bytes: the tightest counts. Thread-safe. */
public final class CombinedThrottle {
    private final Throttle[] throttles; // asked for every read: no iterators

    /** @param throttles in any order */
    public CombinedThrottle(List<Throttle> throttles) {
        this.throttles = throttles.toArray(Throttle[]::new);
    }

    /** How much to take at once; {@link Integer#MAX_VALUE} without any limit. */
    public int pieceBytes() {
        int least = Integer.MAX_VALUE;
        for (Throttle throttle : throttles) {
            least = Math.min(least, throttle.pieceBytes());
        }
        return least;
    }

    /** Takes {@code bytes}, at most 8 GiB, of each; returns for how many nanoseconds to pause, 0 for none. */
    public long take(long bytes, long nowNanos) {
        long longest = 0;
        for (Throttle throttle : throttles) {
            longest = Math.max(longest, throttle.take(bytes, nowNanos));
        }
        return longest;
    }
}
