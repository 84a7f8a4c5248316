package io.sluice.streaming.runtime;

import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.metrics.Waits;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Runs tasks on threads that may block. Each task logs with the keys of its submitter; queued tasks are counted.
 * Thread-safe.
 */
public final class TaskQueue implements Executor {
    private final Executor threads;
    private final LongSupplier nanoTime;
    private final Waits waits = new Waits();

    /** @param nanoTime the clock, such as {@link System#nanoTime} */
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

    /** The queued tasks. */
    public Waits waits() {
        return waits;
    }
}
