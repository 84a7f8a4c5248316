package io.sluice.harness.node;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.admin.ReplaceOrder;
import io.sluice.harness.admin.ReplaceState;
import io.sluice.harness.admin.ReplaceState.Phase;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Planner;
import io.sluice.streaming.plan.PlannerOptions;
import io.sluice.streaming.plan.SSTableSpan;
import io.sluice.streaming.plan.SpansBySource;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node takes the place of a dead one: it asks the live replicas what they have, plans who sends what, and fetches
 * it. Thread-safe.
 */
final class Replacement {
    private static final Logger LOG = LoggerFactory.getLogger(Replacement.class);

    private final StreamingNode engine;
    private final Node self;
    private final ReplaceOrder order;
    private final CompletableFuture<PlanResult> result;
    private volatile Timing timing = new Timing(0, 0);

    /** When streaming began and ended, 0 for not yet. */
    private record Timing(long beganNanos, long endedNanos) {}

    private Replacement(StreamingNode engine, Node self, ReplaceOrder order) {
        this.engine = engine;
        this.self = self;
        this.order = order;
        Ring ring = order.ring().toRing();
        Node dead = ring.nodes().stream()
                .filter(node -> node.id().equals(order.deadNode()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "dead node " + order.deadNode() + ": not in the ring " + ring.nodes()));
        this.result =
                spans(ring, dead).thenApply(spans -> plan(ring, dead, spans)).thenCompose(this::execute);
    }

    /** Begins; returns at once. */
    static Replacement start(StreamingNode engine, Node self, ReplaceOrder order) {
        return new Replacement(engine, self, order);
    }

    /** Ends it, by order of an operator. */
    void cancel() {
        engine.cancel(order.planId(), "cancelled by an operator");
    }

    ReplaceState state() {
        Timing now = timing;
        if (now.beganNanos() == 0 && !result.isDone()) {
            return new ReplaceState(Phase.PLANNING, List.of(), 0, Optional.empty(), Optional.empty());
        }
        var sessions = engine.progress(order.planId()).join();
        if (!result.isDone()) {
            long soFar = System.nanoTime() - now.beganNanos();
            return new ReplaceState(Phase.STREAMING, sessions, soFar, Optional.empty(), Optional.empty());
        }
        long lasted = timing.endedNanos() - timing.beganNanos();
        try {
            return new ReplaceState(Phase.ENDED, sessions, lasted, Optional.of(result.join()), Optional.empty());
        } catch (CompletionException e) {
            return new ReplaceState(Phase.ENDED, sessions, lasted, Optional.empty(), Optional.of(reason(e)));
        }
    }

    private CompletableFuture<Map<TableRef, Map<Node, List<SSTableSpan>>>> spans(Ring ring, Node dead) {
        TokenRanges wanted = ring.rangesOf(dead);
        Map<TableRef, Map<Node, CompletableFuture<List<SSTableSpan>>>> asked = new LinkedHashMap<>();
        for (TableRef table : order.tables()) {
            Map<Node, CompletableFuture<List<SSTableSpan>>> bySource = new LinkedHashMap<>();
            for (Node node : ring.nodes()) {
                TokenRanges shared = ring.rangesOf(node).intersection(wanted);
                if (!node.equals(dead) && !shared.isEmpty()) {
                    bySource.put(node, engine.spans(node, table, shared));
                }
            }
            asked.put(table, bySource);
        }
        CompletableFuture<?>[] all = asked.values().stream()
                .flatMap(bySource -> bySource.values().stream())
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(all).thenApply(done -> {
            Map<TableRef, Map<Node, List<SSTableSpan>>> answers = new LinkedHashMap<>();
            asked.forEach((table, bySource) -> {
                Map<Node, List<SSTableSpan>> spans = new LinkedHashMap<>();
                bySource.forEach((node, answer) -> spans.put(node, answer.join()));
                answers.put(table, spans);
            });
            return answers;
        });
    }

    private StreamPlan plan(Ring ring, Node dead, Map<TableRef, Map<Node, List<SSTableSpan>>> spans) {
        Map<TableRef, Ring> rings = order.tables().stream().collect(Collectors.toMap(table -> table, table -> ring));
        return Planner.plan(
                        new TopologyChange.Replace(dead, self),
                        rings,
                        new SpansBySource(spans),
                        PlannerOptions.DEFAULTS)
                .streamPlan(order.planId(), self);
    }

    private CompletableFuture<PlanResult> execute(StreamPlan plan) {
        LOG.info(
                "plan {} replaces {}: {} requests",
                plan.id(),
                order.deadNode(),
                plan.requests().size());
        long began = System.nanoTime();
        timing = new Timing(began, 0);
        return engine.execute(plan).whenComplete((done, failure) -> timing = new Timing(began, System.nanoTime()));
    }

    private static String reason(CompletionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return Refusal.because(cause).reason();
    }
}
