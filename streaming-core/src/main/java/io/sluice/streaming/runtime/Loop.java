package io.sluice.streaming.runtime;

import java.time.Instant;
import java.util.concurrent.Executor;

/**
 * The one thread on which a node decides, and its clock. Tasks run one after the other, in the order in which they were
 * given. A task that throws ends neither the loop nor other tasks. Thread-safe.
 */
public interface Loop extends Executor {
    /** As {@link System#nanoTime}: only differences have a meaning. */
    long nanoTime();

    /** The time of day, for results and people: nothing is decided by it. */
    Instant now();

    /** Runs {@code task} on this loop once, {@code nanos} from now or a little later. */
    Timer after(long nanos, Runnable task);

    /**
     * Runs {@code task} on this loop again and again, {@code nanos} from now and {@code nanos} after each end of it,
     * until the answer is cancelled.
     */
    Timer every(long nanos, Runnable task);
}
