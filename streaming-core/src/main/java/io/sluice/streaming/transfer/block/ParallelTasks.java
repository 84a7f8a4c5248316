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
 * helpers: it runs each task that none of them has begun, the first one before they do. While it would wait for a task
 * of theirs it runs the next one that they may run, so that a result may be taken later by the time of one task.
 * Stateless.
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
     * @throws RuntimeException if a task or {@code taker} does, and so of an error, which is thrown as it is
     */
    public static <T> void run(List<FutureTask<T>> tasks, List<FutureTask<T>> shared, Executor helpers, Taker<T> taker)
            throws IOException {
        Remaining<T> remaining = new Remaining<>(shared.iterator());
        if (!shared.isEmpty() && shared.get(0) == tasks.get(0)) {
            remaining.next(); // that of the caller, who waits for nobody
        }
        for (int i = 0; i < Math.min(MOST_HELPERS, shared.size() - 1); i++) {
            helpers.execute(new Helper<>(remaining, helpers));
        }
        Throwable failure = null;
        for (FutureTask<T> task : tasks) {
            task.run(); // no effect if a helper has begun it
            while (!task.isDone() && remaining.runNext()) {
                // the helper may have finished meanwhile
            }
            try {
                T result = task.get();
                if (failure == null) {
                    taker.take(result);
                }
            } catch (ExecutionException e) {
                failure = failure == null ? e.getCause() : failure;
            } catch (IOException | RuntimeException | Error e) { // of the taker
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
        } else if (failure instanceof Error fatal) { // a lack of memory is a limit, not a defect
            throw fatal;
        } else if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }

    /** Runs one task, and then queues itself again behind the tasks of others. */
    private record Helper<T>(Remaining<T> remaining, Executor helpers) implements Runnable {
        @Override
        public void run() {
            if (remaining.runNext()) {
                helpers.execute(this);
            }
        }
    }

    /** The shared tasks that no thread has taken from it. Thread-safe. */
    private record Remaining<T>(Iterator<FutureTask<T>> tasks) {
        /**
         * Runs the next one, unless another thread has begun it.
         *
         * @return whether there was one
         */
        boolean runNext() {
            Optional<FutureTask<T>> next = next();
            next.ifPresent(FutureTask::run); // no effect if another thread has begun it
            return next.isPresent();
        }

        private synchronized Optional<FutureTask<T>> next() {
            return tasks.hasNext() ? Optional.of(tasks.next()) : Optional.empty();
        }
    }
}
