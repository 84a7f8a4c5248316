package io.sluice.streaming.throttle;

import java.util.List;

/** Several throttles for the same bytes: the lowest rate decides. Thread-safe. */
public final class CombinedThrottle {
    private final Throttle[] throttles; // used for every read: no iterators

    /** @param throttles in any order */
    CombinedThrottle(List<Throttle> throttles) {
        this.throttles = throttles.toArray(Throttle[]::new);
    }

    /** The number of bytes to take at once; {@link Integer#MAX_VALUE} without a limit. */
    public int pieceBytes() {
        int least = Integer.MAX_VALUE;
        for (Throttle throttle : throttles) {
            least = Math.min(least, throttle.pieceBytes());
        }
        return least;
    }

    /** Takes {@code bytes}, at most 8 GiB, from each; returns the nanoseconds to pause, 0 for none. */
    public long take(long bytes, long nowNanos) {
        long longest = 0;
        for (Throttle throttle : throttles) {
            longest = Math.max(longest, throttle.take(bytes, nowNanos));
        }
        return longest;
    }
}
