package io.sluice.streaming.transfer.block;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * Runs tasks on the calling thread, and some of them on helpers at the same time. The caller does not depend on the
 * helpers: it runs each task that none of them has begun. Stateless.
 */
public final class ParallelTasks {
    /** Limits the helpers of one caller, because others need them, too. */
    private static final int MOST_HELPERS = 3;

    private ParallelTasks() {}

    /** Takes results in the order of their tasks, on the calling thread. */
    public interface Taker<T> {
        /** An exception is a failure like that of a task. */
        void take(T result) throws IOException;
    }

    /**
     * Runs all tasks, even if one fails; takes the results of those before the failed one. No task is running when this
     * returns, unless the thread is interrupted.
     *
     * @param shared those of {@code tasks} that helpers may run
     * @throws IOException if a task or {@code taker} does, or if the thread is interrupted
     * @throws RuntimeException if a task or {@code taker} does
     */
    public static <T> void run(List<FutureTask<T>> tasks, List<FutureTask<T>> shared, Executor helpers, Taker<T> taker)
            throws IOException {
        Iterator<FutureTask<T>> left = shared.iterator();
        for (int i = 0; i < Math.min(MOST_HELPERS, shared.size() - 1); i++) {
            helpers.execute(new Helper<>(left, helpers));
        }
        Throwable failure = null;
        for (FutureTask<T> task : tasks) {
            task.run();
            try {
                T result = task.get();
                if (failure == null) {
                    taker.take(result);
                }
            } catch (ExecutionException e) {
                failure = failure == null ? e.getCause() : failure;
            } catch (IOException | RuntimeException e) { // of the taker
                failure = e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while tasks were running");
            }
        }
        if (failure instanceof IOException broken) {
            throw broken;
        } else if (failure instanceof RuntimeException refused) {
            throw refused;
        } else if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }

    /** Runs one task, and then queues itself again behind the tasks of others. */
    private record Helper<T>(Iterator<FutureTask<T>> tasks, Executor helpers) implements Runnable {
        @Override
        public void run() {
            Optional<FutureTask<T>> next = next();
            next.ifPresent(FutureTask::run); // no effect if another thread has begun it
            if (next.isPresent()) {
                helpers.execute(this);
            }
        }

        private Optional<FutureTask<T>> next() {
            synchronized (tasks) {
                return tasks.hasNext() ? Optional.of(tasks.next()) : Optional.empty();
            }
        }
    }
}
