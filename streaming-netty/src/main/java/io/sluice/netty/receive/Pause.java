package io.sluice.netty.receive;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets a thread wait for a fraction of a millisecond, too: before Java 21 {@code Thread.sleep} rounds up to whole ones.
 * Exact to about a twentieth of a millisecond, as timers of the system are.
 */
public final class Pause {
    /** A thread learns within this time that it need not wait any longer. */
    private static final long LONGEST_NANOS = Duration.ofMillis(50).toNanos();

    private Pause() {}

    /**
     * Waits.
     *
     * @param nanos how long; 0 or less for not at all
     * @param isOver ends it early, within a twentieth of a second
     */
    public static void ofNanos(long nanos, BooleanSupplier isOver) throws InterruptedException {
        if (nanos <= 0) {
            return;
        }
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !isOver.getAsBoolean(); left = end - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, LONGEST_NANOS));
            if (Thread.interrupted()) {
                throw new InterruptedException("while it pauses");
            }
        }
    }
}
