package io.sluice.harness.agent;

import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.agent.AgentMessages.Fetch;
import io.sluice.harness.agent.AgentMessages.Fetching;
import io.sluice.harness.agent.AgentMessages.NamedWait;
import io.sluice.harness.agent.AgentMessages.Progress;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import io.sluice.streaming.progress.StreamActivity.Wait;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
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
    private final Map<UUID, Fetch> orders;
    private final Map<UUID, Running> fetches = new ConcurrentHashMap<>();
    private volatile Optional<UUID> paused = Optional.empty();

    /** A plan that was started. */
    private record Running(Fetch order, CompletableFuture<PlanResult> result) {}

    /** Runs plans. Thread-safe. */
    interface Engine {
        CompletableFuture<PlanResult> execute(StreamPlan plan);

        CompletableFuture<List<SessionProgress>> progress(UUID planId);

        CompletableFuture<List<TableProgress>> receivedTables(UUID planId);

        List<VolumeSample> volumes();

        /** Of all that is received, in bytes per second; 0 for none. */
        long limit();

        /** Has no effect on a plan that has ended. */
        void pause(UUID planId);

        void resume(UUID planId);

        /** Has no effect on a plan that has ended. */
        void cancel(UUID planId, String reason);
    }

    /** @param orders takes the order of each plan before it is started, and loses it when the plan is forgotten */
    AgentFetches(Engine engine, Map<UUID, Fetch> orders) {
        this.engine = engine;
        this.orders = orders;
    }

    /** Starts a plan, which asks for nothing while its operation is paused; repeating a request has no effect. */
    void start(Fetch order) {
        orders.putIfAbsent(order.planId(), order);
        fetches.computeIfAbsent(
                order.planId(),
                id -> new Running(order, engine.execute(new StreamPlan(id, order.kind(), order.requests()))));
        if (paused.equals(Optional.of(order.operation()))) {
            engine.pause(order.planId());
        }
    }

    /** Fetches nothing more for an operation, whatever is started, until it is resumed or this agent ends. */
    void pause(UUID operation) {
        paused = Optional.of(operation);
        of(operation).forEach(engine::pause);
    }

    /** Goes on. */
    void resume(UUID operation) {
        paused = Optional.empty();
        of(operation).forEach(engine::resume);
    }

    private List<UUID> of(UUID operation) {
        return fetches.values().stream()
                .map(Running::order)
                .filter(order -> order.operation().equals(operation))
                .map(Fetch::planId)
                .toList();
    }

    /**
     * How far a plan is.
     *
     * @throws IllegalArgumentException if no such plan was started, or {@link #endAll} has forgotten it
     */
    Progress progress(UUID planId) {
        Running fetch = fetches.get(planId);
        if (fetch == null) {
            throw new IllegalArgumentException("unknown plan " + planId);
        }
        Instant now = Instant.now();
        return new Progress(
                engine.receivedTables(planId).join(),
                engine.progress(planId).join().stream()
                        .flatMap(session -> session.waitingFor().stream())
                        .min(Comparator.comparing(Wait::since))
                        .map(wait -> new NamedWait(text(wait), wait.lasted(now).toSeconds())),
                engine.limit(),
                engine.volumes().stream().map(VolumeStatus::of).toList(),
                fetch.result().isDone() ? Optional.of(fetch.result().join()) : Optional.empty());
    }

    private static String text(Wait wait) {
        return wait.what().text() + (wait.detail().isEmpty() ? "" : " (" + wait.detail() + ")");
    }

    /** Ends a plan; its staged data is removed. */
    void cancel(UUID planId) {
        engine.cancel(planId, "cancelled by an operator");
    }

    /** The plans of an operation that have not ended. */
    List<Fetching> fetching(UUID operation) {
        return fetches.values().stream()
                .filter(running -> running.order().operation().equals(operation)
                        && !running.result().isDone())
                .map(Running::order)
                .map(order -> new Fetching(order.planId(), order.source().id(), order.tables(), order.ranges()))
                .toList();
    }

    /**
     * Ends all plans but those of one operation, waits for them, and forgets them: nothing is received for them
     * afterwards.
     *
     * @param keep the operation that continues; empty if none does
     * @throws IOException if one does not end within {@code timeout}; may be repeated
     */
    void endAll(String reason, Duration timeout, Optional<UUID> keep) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        Map<UUID, Running> running = new HashMap<>(fetches);
        running.values().removeIf(fetch -> keep.equals(Optional.of(fetch.order().operation())));
        running.keySet().forEach(planId -> engine.cancel(planId, reason));
        for (Map.Entry<UUID, Running> fetch : running.entrySet()) {
            await(fetch.getKey(), fetch.getValue().result(), deadline - System.nanoTime(), timeout);
            fetches.remove(fetch.getKey(), fetch.getValue());
            orders.remove(fetch.getKey());
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
