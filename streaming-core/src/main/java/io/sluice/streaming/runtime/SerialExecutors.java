package io.sluice.streaming.runtime;

import io.sluice.streaming.log.LogKeys;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Has what calls the database for one plan run one piece after the other, in the order in which it was given: plans do
 * not wait for each other, and none takes more than one thread. No lock is held while a piece runs, so that the
 * database may call back. Thread-safe.
 */
public final class SerialExecutors {
    /** By plan: what waits for the piece that runs. A plan of which nothing runs has none. Guarded by this. */
    private final Map<UUID, Queue<QueuedCall>> waiting = new HashMap<>();

    private record QueuedCall(Executor threads, Runnable work) {}

    /** Runs {@code work} on one of {@code threads} when all that was given before for the same plan has ended. */
    public void execute(UUID planId, Executor threads, Runnable work) {
        QueuedCall call = new QueuedCall(threads, LogKeys.current().around(work)); // another one may start it
        synchronized (this) {
            Queue<QueuedCall> queue = waiting.get(planId);
            if (queue != null) {
                queue.add(call);
                return;
            }
            waiting.put(planId, new ArrayDeque<>());
        }
        start(planId, call);
    }

    private void start(UUID planId, QueuedCall call) {
        Runnable step = () -> {
            try {
                call.work().run();
            } finally {
                QueuedCall next = next(planId);
                if (next != null) {
                    start(planId, next);
                }
            }
        };
        try {
            call.threads().execute(step);
        } catch (RejectedExecutionException closing) {
            step.run(); // the node is closing: what is left, as releasing pins, is done by whom it finds
        }
    }

    private synchronized @Nullable QueuedCall next(UUID planId) {
        Queue<QueuedCall> queue = waiting.get(planId);
        QueuedCall next = queue == null ? null : queue.poll();
        if (next == null) {
            waiting.remove(planId);
        }
        return next;
    }
}
