package io.sluice.netty.threads;

import java.time.Duration;

/**
 * Until when the parts of a node that closes are waited for, all together: a disk that hangs may keep a thread of each
 * of them. Immutable.
 *
 * @param endNanos by {@link System#nanoTime}
 */
public record CloseDeadline(long endNanos) {
    /** A deadline so long after now. */
    public static CloseDeadline within(Duration limit) {
        return new CloseDeadline(System.nanoTime() + limit.toNanos());
    }

    /** An earlier deadline, which leaves {@code rest} to other parts. */
    public CloseDeadline before(Duration rest) {
        return new CloseDeadline(endNanos - rest.toNanos());
    }

    /** A wait for something that ends. */
    public interface Wait {
        /** Waits at most {@code left}; returns whether it has ended. */
        boolean within(Duration left) throws InterruptedException;
    }

    /**
     * Waits until the deadline; returns whether {@code what} has ended. An interruption does not end the wait: what is
     * closed afterwards would still be in use. The thread stays interrupted.
     */
    public boolean await(Wait what) {
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return what.within(left());
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The time left, 0 or more. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
    }
}
