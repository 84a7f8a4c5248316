package io.sluice.streaming.throttle;

import io.sluice.streaming.plan.Operation.Priority;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Several throttles for the same bytes: the lowest rate decides. Users who take pieces in turn share a rate in
 * proportion to their pieces, so those of a plan are as long as it is urgent. Thread-safe.
 */
public final class CombinedThrottle {
    private final Throttle[] throttles; // used for every read: no iterators
    private final Supplier<Priority> priority;

    /**
     * @param throttles in any order
     * @param priority of the plan, now
     */
    CombinedThrottle(List<Throttle> throttles, Supplier<Priority> priority) {
        this.throttles = throttles.toArray(Throttle[]::new);
        this.priority = priority;
    }

    /** The number of bytes to take at once; {@link Integer#MAX_VALUE} without a limit. */
    public int pieceBytes() {
        int least = Integer.MAX_VALUE;
        for (Throttle throttle : throttles) {
            least = Math.min(least, throttle.pieceBytes());
        }
        return least == Integer.MAX_VALUE
                ? least
                : (int) Math.max(1, (long) least * priority.get().weight() / Priority.REPLACE.weight());
    }

    /** For one user, who takes a piece when the one before has passed. */
    public Turn turn() {
        return new Turn();
    }

    /** The place of a user's last piece with each throttle. Not thread-safe. */
    public final class Turn {
        private final Throttle.Place[] places = new Throttle.Place[throttles.length];
        private long bytes;

        private Turn() {
            Arrays.fill(places, Throttle.NO_WAIT);
        }

        /** Takes {@code bytes} from each; returns the nanoseconds to pause if no limit changes, 0 for none. */
        public long take(long bytes, long nowNanos) {
            this.bytes = bytes;
            for (int i = 0; i < places.length; i++) {
                places[i] = throttles[i].place(bytes, nowNanos);
            }
            return longestPauseNanos(nowNanos);
        }

        /**
         * The nanoseconds that the last piece still has to wait, at the limits of now; 0 for none. Who pauses for long
         * asks again now and then: a limit that is raised shortens the pause, one that is lowered lengthens it, and
         * shortens the piece to one of that limit: others would wait for a piece of the limit before for minutes.
         */
        public long pauseNanos(long nowNanos) {
            release(bytes - Math.min(bytes, pieceBytes()));
            return longestPauseNanos(nowNanos);
        }

        /** The length of the last piece; shorter than it was taken if a limit was lowered before it could pass. */
        public long bytes() {
            return bytes;
        }

        /** Releases the last piece, which does not pass any more: nobody else has to wait for it. */
        public void release() {
            release(bytes);
        }

        private void release(long some) {
            if (some == 0) {
                return;
            }
            bytes -= some;
            for (int i = 0; i < places.length; i++) {
                throttles[i].release(places[i], some);
            }
        }

        private long longestPauseNanos(long nowNanos) {
            long longest = 0;
            for (int i = 0; i < places.length; i++) {
                longest = Math.max(longest, throttles[i].pauseNanos(places[i], nowNanos));
            }
            return longest;
        }
    }
}
