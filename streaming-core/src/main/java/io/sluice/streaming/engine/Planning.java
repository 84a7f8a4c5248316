package io.sluice.streaming.engine;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.receive.SpansRequest;
import io.sluice.streaming.engine.send.HeldSpans;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.plan.TopologyPlan.Transfer;
import io.sluice.streaming.plan.TopologyPlan.Unavailable;
import io.sluice.streaming.planner.DataSizes;
import io.sluice.streaming.planner.PlanScope;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.planner.PlannerOptions;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.planner.SpansBySource;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.store.TableRef;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans one change: finds out from the rings who may send what this node needs, asks them all what they hold, a few at
 * a time, and plans with those that have answered. The node that plans does not ask itself over the network.
 *
 * <p>Confined to the loop, but for what reads disks or thinks for long: that runs where the disk may wait. Whatever a
 * step throws ends the planning.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what is notified of an end does not fail
final class Planning {
    private static final Logger LOG = LoggerFactory.getLogger(Planning.class);
    private static final int MOST_AT_ONCE = 32;
    /** As much as a query takes for one table; of a table with more pieces everything is asked. */
    private static final int MOST_RANGES = 30_000;
    /** Of whom nothing is known yet. */
    private static final DataSizes UNKNOWN = DataSizes.even(1L << 40);

    private final UUID id;
    private final TopologyChange change;
    private final Map<TableRef, Ring> rings;
    private final NodeContext node;
    private final RetryPolicy retries;
    private final HeldSpans own;
    private final CompletableFuture<TopologyPlan> result = new CompletableFuture<>();
    private final SplittableRandom random;
    private final Queue<SourceQuery> waiting = new ArrayDeque<>();
    private final Map<TableRef, Map<Node, List<SSTableSpan>>> spans = new HashMap<>();
    private final List<Unavailable> unavailable = new ArrayList<>();
    private Optional<Node> destination = Optional.empty();
    private int asked;

    /** Begins with {@link #start}. */
    Planning(TopologyChange change, Map<TableRef, Ring> rings, NodeContext node, RetryPolicy retries, HeldSpans own) {
        this.id = node.environment().ids().get();
        this.change = change;
        this.rings = Map.copyOf(rings);
        this.node = node;
        this.retries = retries;
        this.own = own;
        this.random = new SplittableRandom(id.getLeastSignificantBits());
    }

    /** Completes with the plan, or with what has ended the planning; never not at all, if the node is closed. */
    CompletableFuture<TopologyPlan> result() {
        return result;
    }

    /** Ends it, from any thread. */
    void cancel(String reason) {
        result.completeExceptionally(new StreamException(ErrorCode.CANCELLED, reason));
    }

    void start() {
        onDisk(this::findSources);
    }

    /** What is needed, and who may have it, is known from the rings alone. */
    private void findSources() {
        TopologyPlan first;
        Optional<Node> only = Optional.of(node.self());
        first = Planner.plan(change, rings, UNKNOWN, PlannerOptions.DEFAULTS, scope(only));
        if (first.transfers().isEmpty()) { // this node needs nothing: it plans for the others
            only = Optional.empty();
            first = Planner.plan(change, rings, UNKNOWN, PlannerOptions.DEFAULTS, scope(only));
        }
        Map<Node, Map<TableRef, List<TokenRange>>> wanted = new LinkedHashMap<>();
        for (Transfer transfer : first.transfers()) {
            long last = transfer.last().value();
            TokenRange range =
                    TokenRange.of(transfer.first().value() - 1, last == Long.MAX_VALUE ? Long.MIN_VALUE : last);
            List<Node> senders = new ArrayList<>(transfer.alternates());
            senders.add(transfer.source());
            for (Node sender : senders) {
                wanted.computeIfAbsent(sender, source -> new LinkedHashMap<>())
                        .computeIfAbsent(transfer.table(), table -> new ArrayList<>())
                        .add(range);
            }
        }
        Optional<Node> scope = only;
        onLoop(() -> ask(scope, wanted));
    }

    private PlanScope scope(Optional<Node> only) {
        return new PlanScope(id, only, unavailable);
    }

    private void ask(Optional<Node> only, Map<Node, Map<TableRef, List<TokenRange>>> wanted) {
        destination = only;
        LOG.info("plan {}: planning {}, {} sources are asked", id, change.operation(), wanted.size());
        wanted.forEach((source, tables) -> {
            Map<TableRef, TokenRanges> ranges = new LinkedHashMap<>();
            tables.forEach((table, pieces) -> {
                TokenRanges all = TokenRanges.of(pieces);
                ranges.put(table, all.ranges().size() > MOST_RANGES ? TokenRanges.FULL : all);
            });
            waiting.add(new SourceQuery(source, ranges, retries, random.split()));
        });
        askMore();
    }

    private void askMore() {
        while (asked < MOST_AT_ONCE && !waiting.isEmpty()) {
            asked++;
            askNext(waiting.remove());
        }
        if (asked == 0) {
            List<Unavailable> left = unavailable.stream()
                    .sorted(Comparator.comparing(one -> one.node().name()))
                    .toList();
            onDisk(() -> plan(left));
        }
    }

    private void askNext(SourceQuery query) {
        if (result.isDone()) {
            return;
        }
        Optional<Map<TableRef, TokenRanges>> question = query.next();
        if (question.isEmpty()) {
            query.spans()
                    .forEach((table, held) -> spans.computeIfAbsent(table, known -> new HashMap<>())
                            .put(query.source(), held));
            end(query);
            return;
        }
        send(query.source(), question.get())
                .whenComplete((answer, failure) -> onLoop(() -> {
                    if (failure == null) {
                        answered(query, answer);
                    } else {
                        failed(query, failure);
                    }
                }));
    }

    private CompletableFuture<Map<TableRef, List<SSTableSpan>>> send(Node source, Map<TableRef, TokenRanges> question) {
        if (!source.equals(node.self())) {
            return SpansRequest.send(source, question, node);
        }
        CompletableFuture<Map<TableRef, List<SSTableSpan>>> answer = new CompletableFuture<>();
        node.environment().disk().execute(() -> {
            try {
                Map<TableRef, List<SSTableSpan>> held = new HashMap<>();
                for (Map.Entry<TableRef, TokenRanges> wanted : question.entrySet()) {
                    TableRef table = wanted.getKey();
                    if (node.store().table(table.id()).isEmpty()) {
                        throw new StreamException(ErrorCode.UNKNOWN_TABLE, "table " + table + " is not known here");
                    }
                    held.put(table, own.of(table, wanted.getValue()));
                }
                answer.complete(held);
            } catch (Throwable e) { // whatever it is: the planning waits for an answer
                answer.completeExceptionally(e);
                VirtualMachineErrors.handOn(e);
            }
        });
        return answer;
    }

    private void answered(SourceQuery query, Map<TableRef, List<SSTableSpan>> answer) {
        try {
            query.answered(answer);
        } catch (StreamException lie) {
            LOG.warn("plan {}: skipping {}: {}", id, query.source(), lie.getMessage());
            unavailable.add(
                    new Unavailable(query.source(), Optional.empty(), lie.code(), String.valueOf(lie.getMessage())));
            asked--;
            askMore();
            return;
        }
        askNext(query);
    }

    private void failed(SourceQuery query, Throwable failure) {
        Throwable cause =
                failure instanceof java.util.concurrent.CompletionException wrapped && wrapped.getCause() != null
                        ? wrapped.getCause()
                        : failure;
        Optional<Duration> pause = query.failed(cause);
        LOG.warn(
                "plan {}: {} did not answer, {}: {}",
                id,
                query.source(),
                pause.map(wait -> "it is asked again in " + wait.toMillis() + " ms")
                        .orElse("it is left out"),
                String.valueOf(cause.getMessage()));
        if (pause.isEmpty()) {
            askNext(query); // which has nothing more to ask
        } else {
            node.environment().loop().after(pause.get().toNanos(), () -> guarded(() -> askNext(query)));
        }
    }

    private void end(SourceQuery query) {
        unavailable.addAll(query.unavailable());
        asked--;
        askMore();
    }

    private void plan(List<Unavailable> left) {
        if (result.isDone()) {
            return;
        }
        try {
            result.complete(Planner.plan(
                    change,
                    rings,
                    new SpansBySource(spans),
                    PlannerOptions.DEFAULTS.cuttingSSTables(),
                    new PlanScope(id, destination, left)));
        } catch (StreamException e) {
            throw e.code() == ErrorCode.NO_SOURCE ? SourceQuery.noSource(e, left) : e;
        }
    }

    private void onLoop(Runnable step) {
        guarded(() -> node.onLoop(() -> guarded(step)));
    }

    private void onDisk(Runnable step) {
        guarded(() -> node.environment().disk().execute(() -> guarded(step)));
    }

    /** Whatever {@code step} throws is the end of the planning, and of nothing else. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            if (!result.completeExceptionally(e)) {
                LOG.debug("plan {}: a step failed after its end", id, e);
            }
            VirtualMachineErrors.handOn(e);
        }
    }
}
