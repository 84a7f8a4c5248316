package io.sluice.streaming.runtime;

import java.time.Instant;
import java.util.concurrent.Executor;

/**
 * The single thread that makes all decisions of a node, and its clock. Tasks run sequentially, in the order of
 * submission. An exception of a task ends neither the loop nor other tasks. Thread-safe.
 */
public interface Loop extends Executor {
    /** As {@link System#nanoTime}: only differences are meaningful. */
    long nanoTime();

    /** The wall-clock time, for results and logs: no decision depends on it. */
    Instant now();

    /** Runs {@code task} on this loop once, after at least {@code nanos}. */
    Timer after(long nanos, Runnable task);

    /**
     * Runs {@code task} on this loop periodically, {@code nanos} from now and {@code nanos} after each end, until the
     * returned timer is cancelled.
     */
    Timer every(long nanos, Runnable task);
}
