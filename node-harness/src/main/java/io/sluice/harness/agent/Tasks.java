package io.sluice.harness.agent;

import io.sluice.harness.http.Answer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Orders that may take hours, such as digests of large tables: they are started, and asked for until they have ended,
 * so that no connection has to last as long. Nobody asks for those of a coordinator that is gone: what only reads is
 * ended when another coordinator begins, or starts its first task. Thread-safe; owns its threads.
 */
final class Tasks implements AutoCloseable {
    private static final int THREADS = 4;
    /** Running ones, and answers that a coordinator may ask for again; also coordinators that are remembered. */
    static final int MOST = 64;

    private static final String ONE = "(expected: one at a time; let the newest end, and run the command again)";

    private final ExecutorService workers = Executors.newFixedThreadPool(THREADS, task -> {
        Thread thread = new Thread(task, "sluice-task");
        thread.setDaemon(true);
        return thread;
    });
    // Guarded by this; in the order in which they were started.
    private final Map<UUID, Started> tasks = new LinkedHashMap<>();
    private Optional<UUID> newest = Optional.empty();
    // The latest that were the newest, in that order: they may still run, and have started no task.
    private final Set<UUID> followed = new LinkedHashSet<>();

    /** @param onlyReads whether nothing is left half done if it is interrupted */
    private record Started(UUID coordinator, boolean onlyReads, Future<Answer> answer) {}

    /**
     * Starts a task; repeating a request has no further effect.
     *
     * @param onlyReads whether it may be interrupted at any time
     * @throws IllegalArgumentException if too many run already, or another coordinator has begun after this one
     */
    synchronized void start(UUID coordinator, UUID id, boolean onlyReads, Callable<Answer> task) {
        if (!tasks.containsKey(id)) {
            if (followed.contains(coordinator)) {
                throw new IllegalArgumentException("another coordinator has begun at this agent after this one " + ONE);
            }
            begin(coordinator);
            forgetOldest();
            tasks.put(id, new Started(coordinator, onlyReads, workers.submit(task)));
        }
    }

    /**
     * Makes a coordinator the newest, also one that another has followed: ends what others read, and refuses their
     * tasks from now on, even a first one.
     */
    synchronized void begin(UUID coordinator) {
        if (newest.equals(Optional.of(coordinator))) {
            return;
        }
        newest.ifPresent(followed::add);
        followed.remove(coordinator);
        if (followed.size() > MOST) {
            followed.remove(followed.iterator().next());
        }
        newest = Optional.of(coordinator);
        tasks.values().stream()
                .filter(task -> task.onlyReads() && !task.coordinator().equals(coordinator))
                .forEach(task -> task.answer().cancel(true));
    }

    private void forgetOldest() {
        if (tasks.size() >= MOST) {
            UUID oldest = tasks.entrySet().stream()
                    .filter(task -> task.getValue().answer().isDone())
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
     * @throws IllegalArgumentException if no such task was started, or it has been forgotten, or another coordinator
     *     has begun since, and it was ended
     * @throws IOException if it ended without an answer
     */
    Optional<Answer> answer(UUID id) throws IOException {
        Future<Answer> task = task(id).answer();
        if (!task.isDone()) {
            return Optional.empty();
        }
        try {
            return Optional.of(task.get());
        } catch (CancellationException e) {
            throw new IllegalArgumentException(
                    "task " + id + " was ended: another coordinator has begun at this agent " + ONE, e);
        } catch (ExecutionException e) {
            throw new IOException("task " + id + " ended without an answer: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for task " + id, e);
        }
    }

    private synchronized Started task(UUID id) {
        Started task = tasks.get(id);
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
