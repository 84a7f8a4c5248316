package io.sluice.harness.node;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.FetchState.Phase;
import io.sluice.harness.admin.FetchState.Problem;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.admin.RingTables;
import io.sluice.netty.StreamingNode;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the data that a topology change requires: asks the possible sources what they have, plans which of them sends
 * what, and executes this node's part of the plan. Thread-safe.
 */
final class Fetch {
    private static final Logger LOG = LoggerFactory.getLogger(Fetch.class);

    private final StreamingNode engine;
    private final Node self;
    private final AdminRequests.Fetch order;
    private final Map<TableRef, Ring> rings = new LinkedHashMap<>();
    private final CompletableFuture<PlanResult> result;
    private volatile Priority priority;
    private volatile Timing timing = new Timing(0, 0);
    private volatile Arrival lastArrival = new Arrival(0, 0);

    /** When streaming began and ended; 0 if it has not yet. */
    private record Timing(long beganNanos, long endedNanos) {}

    /** When more bytes were last seen to have arrived. */
    private record Arrival(long bytes, long nanos) {}

    private Fetch(StreamingNode engine, Node self, AdminRequests.Fetch order) {
        this.engine = engine;
        this.self = self;
        this.order = order;
        this.priority = operation().priority();
        // Tables with equal rings share one object, so that the planner plans them only once.
        for (RingTables shared : order.rings()) {
            Ring ring = shared.ring().toRing();
            shared.tables().forEach(table -> rings.put(table, ring));
        }
        this.result = engine.plan(order.change(), rings).thenCompose(this::execute);
    }

    /** Starts fetching; returns at once. */
    static Fetch start(StreamingNode engine, Node self, AdminRequests.Fetch order) {
        return new Fetch(engine, self, order);
    }

    private void requireRunning() {
        if (result.isDone()) {
            throw new IllegalStateException("plan " + order.planId() + " has ended already (see netstats)");
        }
    }

    /** Cancels the plan on behalf of an operator. */
    void cancel() {
        requireRunning();
        engine.cancel(order.planId(), "cancelled by an operator");
    }

    /** Pauses or resumes the plan on behalf of an operator. */
    void pause(boolean isPaused) {
        requireRunning();
        if (isPaused) {
            engine.pause(order.planId());
        } else {
            engine.resume(order.planId());
        }
    }

    /** Makes the plan more or less urgent on behalf of an operator, also before it is made. */
    void prioritize(Priority next) {
        requireRunning();
        priority = next;
        engine.prioritize(order.planId(), next);
    }

    Operation operation() {
        return order.change().operation();
    }

    boolean hasEnded() {
        return result.isDone();
    }

    FetchState state() {
        Timing now = timing;
        if (now.beganNanos() == 0 && !result.isDone()) {
            return state(Phase.PLANNING, List.of(), 0, 0);
        }
        List<SessionProgress> sessions = engine.progress(order.planId()).join();
        if (!result.isDone()) {
            return state(Phase.STREAMING, sessions, System.nanoTime() - now.beganNanos(), quietNanos(sessions));
        }
        return state(Phase.ENDED, sessions, timing.endedNanos() - timing.beganNanos(), 0);
    }

    private FetchState state(Phase phase, List<SessionProgress> sessions, long lasted, long quiet) {
        Optional<PlanResult> ended = Optional.empty();
        Optional<Problem> failure = Optional.empty();
        if (phase == Phase.ENDED) {
            try {
                ended = Optional.of(result.join());
            } catch (CompletionException e) {
                failure = Optional.of(problem(e));
            }
        }
        return new FetchState(order.planId(), operation(), priority, phase, sessions, lasted, quiet, ended, failure);
    }

    private long quietNanos(List<SessionProgress> sessions) {
        long bytes = sessions.stream().mapToLong(SessionProgress::bytesReceived).sum();
        long now = System.nanoTime();
        Arrival last = lastArrival;
        if (last.nanos() == 0 || bytes > last.bytes()) {
            lastArrival = new Arrival(bytes, now);
            return 0;
        }
        return now - last.nanos();
    }

    private CompletableFuture<PlanResult> execute(TopologyPlan planned) {
        LOG.info("plan {}: {}", order.planId(), planned.explanation().strip());
        StreamPlan plan = planned.streamPlan(order.planId(), self);
        LOG.info(
                "plan {} {}: {} requests",
                plan.id(),
                plan.operation(),
                plan.requests().size());
        long began = System.nanoTime();
        timing = new Timing(began, 0);
        CompletableFuture<PlanResult> executed = engine.execute(plan);
        if (priority != plan.operation().priority()) {
            engine.prioritize(plan.id(), priority);
        }
        return executed.whenComplete((done, failure) -> timing = new Timing(began, System.nanoTime()));
    }

    private static Problem problem(CompletionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        ErrorCode code = cause instanceof StreamException known ? known.code() : ErrorCode.INTERNAL;
        return new Problem(code, Refusal.because(cause).reason());
    }
}
