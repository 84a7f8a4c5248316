package io.sluice.streaming.engine;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.receive.SpansRequest;
import io.sluice.streaming.engine.send.HeldSpans;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.plan.TopologyPlan.Transfer;
import io.sluice.streaming.plan.TopologyPlan.Unavailable;
import io.sluice.streaming.planner.DataSizes;
import io.sluice.streaming.planner.PlanScope;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.planner.PlannerOptions;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.session.Failure;
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
 * Plans one change: derives from the rings which nodes can send the ranges that this node needs, queries them, a few at
 * a time, and plans with those that answer. The planning node does not query itself over the network.
 *
 * <p>Confined to the loop, except disk reads and long computations, which run on disk threads. An exception of any step
 * ends the planning.
 */
@SuppressWarnings("FutureReturnValueIgnored") // callbacks of an end do not fail
final class Planning {
    private static final Logger LOG = LoggerFactory.getLogger(Planning.class);
    private static final int MOST_AT_ONCE = 32;
    /** The maximum number of ranges of one table in a query; for more ranges the query is for the whole ring. */
    private static final int MOST_RANGES = 30_000;
    /** Sizes of data before sources have answered. */
    private static final DataSizes UNKNOWN = DataSizes.even(1L << 40);

    private final UUID id;
    private final LogKeys keys;
    private final TopologyChange change;
    private final Map<TableRef, Ring> rings;
    private final NodeContext node;
    private final RetryPolicy retries;
    private final HeldSpans own;
    private final CompletableFuture<TopologyPlan> result = new CompletableFuture<>();
    private final SplittableRandom random;
    private final Queue<SourceQuery> waiting = new ArrayDeque<>();
    private final KeptSpans spans;
    private final List<Unavailable> unavailable = new ArrayList<>();
    private Optional<Node> destination = Optional.empty();
    private int asked;

    /** Creates a planning that begins with {@link #start}. */
    Planning(TopologyChange change, Map<TableRef, Ring> rings, NodeContext node, RetryPolicy retries, HeldSpans own) {
        this.id = node.environment().ids().get();
        this.keys = LogKeys.of(id);
        this.change = change;
        this.rings = Map.copyOf(rings);
        this.node = node;
        this.retries = retries;
        this.own = own;
        this.spans = new KeptSpans(node.inventory());
        this.random = new SplittableRandom(id.getLeastSignificantBits());
    }

    /** Completes with the plan, or with the failure of the planning; also when the node is closed. */
    CompletableFuture<TopologyPlan> result() {
        return result;
    }

    /** Cancels the planning, from any thread. */
    void cancel(String reason) {
        result.completeExceptionally(new StreamException(ErrorCode.CANCELLED, reason));
    }

    void start() {
        result.whenComplete((plan, failure) -> node.onLoop(spans::release));
        onDisk(this::findSources);
    }

    /** Derives needs and possible sources from the rings alone. */
    private void findSources() {
        TopologyPlan first;
        Optional<Node> only = Optional.of(node.self());
        first = Planner.plan(change, rings, UNKNOWN, PlannerOptions.DEFAULTS, scope(only));
        if (first.transfers().isEmpty()) { // this node needs nothing: plan for the others
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
        LOG.info("plan {}: planning {}, querying {} sources", id, change.operation(), wanted.size());
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
            spans.add(query.source(), query.spans());
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
        Runnable look = () -> {
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
            } catch (Throwable e) { // any exception: the planning waits for an answer
                answer.completeExceptionally(e);
                VirtualMachineErrors.handOn(e);
            }
        };
        node.environment().disk().execute(keys.around(look));
        return answer;
    }

    private void answered(SourceQuery query, Map<TableRef, List<SSTableSpan>> answer) {
        if (result.isDone()) {
            return;
        }
        Map<TableRef, List<SSTableSpan>> kept;
        try {
            kept = spans.charge(query.source(), answer);
        } catch (StreamException noMemory) {
            failed(query, noMemory);
            return;
        }
        try {
            query.answered(kept);
        } catch (StreamException lie) {
            about(query.source()).run(() -> LOG.warn("plan {}: skipping {}: {}", id, query.source(), lie.getMessage()));
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
        Failure why = Failure.of(cause);
        Optional<Duration> pause = query.failed(cause);
        about(query.source())
                .run(() -> LOG.warn(
                        "plan {}: {} {}, {}: {}",
                        id,
                        query.source(),
                        isSilent(why.code()) ? "did not answer" : "gave no answer that can be used",
                        pause.map(wait -> "retrying in " + wait.toMillis() + " ms")
                                .orElse("leaving it out"),
                        why));
        if (pause.isEmpty()) {
            askNext(query); // it has no further question
        } else {
            node.environment().loop().after(pause.get().toNanos(), () -> guarded(() -> askNext(query)));
        }
    }

    private static boolean isSilent(ErrorCode why) {
        return why == ErrorCode.PEER_LOST || why == ErrorCode.TIMEOUT;
    }

    private LogKeys about(Node source) {
        return LogKeys.of(id, source.id());
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
                    spans.all(),
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

    /** Runs a step with the keys of this plan; its exception ends this planning only. */
    private void guarded(Runnable step) {
        keys.run(() -> tryTo(step));
    }

    private void tryTo(Runnable step) {
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
