package io.sluice.streaming.engine;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.send.HeldSpans;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.store.TableRef;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The running plannings of a node. Thread-safe. */
final class Plannings {
    /** Attempts for a source that does not answer: the planner waits for it, and others may have its data. */
    private static final int MOST_ATTEMPTS = 3;

    private final NodeContext node;
    private final RetryPolicy retries;
    private final HeldSpans own;
    // Guarded by this.
    private final Set<Planning> running = new HashSet<>();
    private Optional<String> over = Optional.empty();

    Plannings(NodeContext node, RetryPolicy retries, HeldSpans own) {
        this.node = node;
        this.retries = new RetryPolicy(
                Math.min(MOST_ATTEMPTS, retries.attempts()),
                retries.maxAttempts(),
                retries.firstPause(),
                retries.longestPause(),
                retries.roomPause(),
                retries.roomTimeout());
        this.own = own;
    }

    /** Plans {@code change}; fails with code {@link ErrorCode#CANCELLED} if the node ends before. */
    CompletableFuture<TopologyPlan> plan(TopologyChange change, Map<TableRef, Ring> rings) {
        Planning planning = new Planning(change, rings, node, retries, own);
        synchronized (this) {
            if (over.isPresent()) {
                return CompletableFuture.failedFuture(new StreamException(ErrorCode.CANCELLED, over.get()));
            }
            running.add(planning);
        }
        CompletableFuture<TopologyPlan> ended = planning.result().whenComplete((plan, failure) -> remove(planning));
        planning.start();
        return ended.copy();
    }

    private synchronized void remove(Planning planning) {
        running.remove(planning);
    }

    /** Cancels all plannings, and rejects new ones. */
    void cancelAll(String reason) {
        List<Planning> ending;
        synchronized (this) {
            over = Optional.of(reason);
            ending = List.copyOf(running);
        }
        ending.forEach(planning -> planning.cancel(reason));
    }
}
