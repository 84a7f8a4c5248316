package io.sluice.harness.agent;

import io.sluice.harness.agent.AgentMessages.Fetch;
import io.sluice.harness.agent.AgentMessages.Progress;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The stream plans that coordinators have started at an agent. Thread-safe. */
final class AgentFetches {
    private static final Logger LOG = LoggerFactory.getLogger(AgentFetches.class);

    private final Engine engine;
    private final Map<UUID, CompletableFuture<PlanResult>> fetches = new ConcurrentHashMap<>();

    /** Runs plans. Thread-safe. */
    interface Engine {
        CompletableFuture<PlanResult> execute(StreamPlan plan);

        CompletableFuture<List<SessionProgress>> progress(UUID planId);

        /** Has no effect on a plan that has ended. */
        void cancel(UUID planId, String reason);
    }

    AgentFetches(Engine engine) {
        this.engine = engine;
    }

    /** Starts a plan; repeating a request has no further effect. */
    void start(Fetch order) {
        fetches.computeIfAbsent(
                order.planId(), id -> engine.execute(new StreamPlan(id, order.kind(), order.requests())));
    }

    /**
     * How far a plan is.
     *
     * @throws IllegalArgumentException if no such plan was started, or {@link #endAll} has forgotten it
     */
    Progress progress(UUID planId) {
        CompletableFuture<PlanResult> fetch = fetches.get(planId);
        if (fetch == null) {
            throw new IllegalArgumentException("unknown plan " + planId);
        }
        List<SessionProgress> sessions = engine.progress(planId).join();
        return new Progress(
                sessions.stream().mapToLong(SessionProgress::bytesTotal).sum(),
                sessions.stream().mapToLong(SessionProgress::bytesReceived).sum(),
                fetch.isDone() ? Optional.of(fetch.join()) : Optional.empty());
    }

    /** Ends a plan; its staged data is removed. */
    void cancel(UUID planId) {
        engine.cancel(planId, "cancelled by an operator");
    }

    /**
     * Ends all plans, waits for them, and forgets them: nothing is received for them afterwards.
     *
     * @throws IOException if one does not end within {@code timeout}; may be repeated
     */
    void endAll(String reason, Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        Map<UUID, CompletableFuture<PlanResult>> running = Map.copyOf(fetches);
        running.keySet().forEach(planId -> engine.cancel(planId, reason));
        for (Map.Entry<UUID, CompletableFuture<PlanResult>> fetch : running.entrySet()) {
            await(fetch.getKey(), fetch.getValue(), deadline - System.nanoTime(), timeout);
            fetches.remove(fetch.getKey(), fetch.getValue());
        }
    }

    private static void await(UUID planId, CompletableFuture<PlanResult> fetch, long nanos, Duration timeout)
            throws IOException {
        try {
            fetch.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "plan " + planId + " did not end within " + timeout.toSeconds()
                            + " s of its cancellation (is a disk of this node overloaded? try again)",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while plan " + planId + " ended", e);
        } catch (ExecutionException e) {
            LogKeys.of(planId).run(() -> LOG.debug("the plan has ended", e)); // which is all that matters here
        }
    }
}
