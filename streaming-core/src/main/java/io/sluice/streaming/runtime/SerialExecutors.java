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
 * Runs the calls of the database for one plan sequentially, in the order of submission. Plans do not wait for each
 * other, and each uses at most one thread. No lock is held during a call, so that the database may call back.
 * Thread-safe.
 */
public final class SerialExecutors {
    /**
     * By plan: the calls that wait for the running one. A plan without a running call has no entry. Guarded by this.
     */
    private final Map<UUID, Queue<QueuedCall>> waiting = new HashMap<>();

    private record QueuedCall(Executor threads, Runnable work) {}

    /** Runs {@code work} on one of {@code threads} after all previous work of the same plan. */
    public void execute(UUID planId, Executor threads, Runnable work) {
        QueuedCall call = new QueuedCall(threads, LogKeys.current().around(work)); // another thread may start it
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
            step.run(); // the node is closing: remaining work, such as releasing pins, runs on the current thread
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
