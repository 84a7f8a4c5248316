package io.sluice.streaming.runtime;

import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.metrics.Waits;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Tasks for threads that may wait. Each task logs with the keys of whoever hands it over; those that wait for a thread
 * are counted. Thread-safe.
 */
public final class TaskQueue implements Executor {
    private final Executor threads;
    private final LongSupplier nanoTime;
    private final Waits waits = new Waits();

    /** @param nanoTime as {@link System#nanoTime} */
    public TaskQueue(Executor threads, LongSupplier nanoTime) {
        this.threads = threads;
        this.nanoTime = nanoTime;
    }

    @Override
    public void execute(Runnable task) {
        LogKeys keys = LogKeys.current();
        Waits.Wait wait = waits.begin(nanoTime.getAsLong());
        try {
            threads.execute(() -> {
                wait.end();
                keys.run(task);
            });
        } catch (RejectedExecutionException | Error e) {
            wait.end();
            throw e;
        }
    }

    /** Tasks that no thread has begun. */
    public Waits waits() {
        return waits;
    }
}
