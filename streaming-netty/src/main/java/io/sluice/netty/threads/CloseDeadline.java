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

    /** The time left, 0 or more. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
    }
}
