package io.sluice.streaming.throttle;

import io.sluice.streaming.plan.Operation.Priority;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Several throttles for the same bytes: the lowest rate decides. Users who take pieces in turn share a rate in
 * proportion to their pieces, so those of a plan are as long as it is urgent. Thread-safe.
 */
public final class CombinedThrottle {
    private final Throttle[] throttles; // used for every read: no iterators
    private final Supplier<Priority> priority;
    private final LongSupplier changes;

    /**
     * @param throttles in any order
     * @param priority of the plan, now
     * @param changes how often a slow limit was raised or lifted
     */
    CombinedThrottle(List<Throttle> throttles, Supplier<Priority> priority, LongSupplier changes) {
        this.throttles = throttles.toArray(Throttle[]::new);
        this.priority = priority;
        this.changes = changes;
    }

    /**
     * How often a slow limit of the node was raised or lifted. A pause ends as soon as this is not what it was before
     * {@link #take}: its length is that at the limits of before. So each change lets one piece of each user pass early.
     */
    public long changes() {
        return changes.getAsLong();
    }

    /** The number of bytes to take at once; {@link Integer#MAX_VALUE} without a limit. */
    public int pieceBytes() {
        int least = Integer.MAX_VALUE;
        for (Throttle throttle : throttles) {
            least = Math.min(least, throttle.pieceBytes());
        }
        return least == Integer.MAX_VALUE
                ? least
                : (int) ((long) least * priority.get().weight() / Priority.REPLACE.weight());
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
