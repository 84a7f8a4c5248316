package io.sluice.harness.agent;

import io.sluice.harness.http.Answer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Orders that may take hours, such as digests of large tables: they are started, and asked for until they have ended,
 * so that no connection has to last as long. Thread-safe; owns its threads.
 */
final class Tasks implements AutoCloseable {
    private static final int THREADS = 4;
    /** Running ones, and answers that a coordinator may ask for again. */
    static final int MOST = 64;

    private final ExecutorService workers = Executors.newFixedThreadPool(THREADS, task -> {
        Thread thread = new Thread(task, "sluice-task");
        thread.setDaemon(true);
        return thread;
    });
    // Guarded by this; in the order in which they were started.
    private final Map<UUID, Future<Answer>> tasks = new LinkedHashMap<>();

    /**
     * Starts a task; repeating a request has no further effect.
     *
     * @throws IllegalArgumentException if too many run already
     */
    synchronized void start(UUID id, Callable<Answer> task) {
        if (!tasks.containsKey(id)) {
            forgetOldest();
            tasks.put(id, workers.submit(task));
        }
    }

    private void forgetOldest() {
        if (tasks.size() >= MOST) {
            UUID oldest = tasks.entrySet().stream()
                    .filter(task -> task.getValue().isDone())
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(tasks.size()
                            + " tasks run at this agent (expected: less than " + MOST + "; wait, and try again)"));
            tasks.remove(oldest);
        }
    }

    /**
     * The answer of a task; empty while it runs.
     *
     * @throws IllegalArgumentException if no such task was started, or it has been forgotten
     * @throws IOException if it ended without an answer
     */
    Optional<Answer> answer(UUID id) throws IOException {
        Future<Answer> task = task(id);
        if (!task.isDone()) {
            return Optional.empty();
        }
        try {
            return Optional.of(task.get());
        } catch (ExecutionException | CancellationException e) {
            throw new IOException("task " + id + " ended without an answer: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for task " + id, e);
        }
    }

    private synchronized Future<Answer> task(UUID id) {
        Future<Answer> task = tasks.get(id);
        if (task == null) {
            throw new IllegalArgumentException(
                    "unknown task " + id + " (did this agent start again meanwhile? Run the command again)");
        }
        return task;
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
