package io.sluice.netty;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A periodic task that may block for longer than its period: it waits or runs once at a time, so that it never has more
 * than one of its threads. Thread-safe.
 */
final class RepeatedTask {
    private final Executor threads;
    private final Runnable task;
    private final AtomicBoolean isPending = new AtomicBoolean();

    RepeatedTask(Executor threads, Runnable task) {
        this.threads = threads;
        this.task = task;
    }

    /**
     * Submits the task, unless it waits or runs already.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the threads end
     */
    void submit() {
        if (!isPending.compareAndSet(false, true)) {
            return;
        }
        try {
            threads.execute(this::run);
        } catch (RuntimeException | Error e) {
            isPending.set(false);
            throw e;
        }
    }

    private void run() {
        try {
            task.run();
        } finally {
            isPending.set(false);
        }
    }
}
