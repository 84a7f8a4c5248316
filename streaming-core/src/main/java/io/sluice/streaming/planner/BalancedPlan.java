package io.sluice.streaming.planner;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.balance.BalanceProblem;
import io.sluice.streaming.planner.balance.Solution;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** The solution of the balancer as a plan; creates transfers on access. Immutable. */
final class BalancedPlan implements TopologyPlan {
    private final TopologyChange change;
    private final PlanRanges pieces;
    private final BalanceProblem problem;
    private final Solution solution;
    private final NodeNumbers nodes;
    private final PlanScope scope;
    private final double slowestReceiverSeconds;

    BalancedPlan(
            TopologyChange change,
            PlanRanges pieces,
            BalanceProblem problem,
            Solution solution,
            NodeNumbers nodes,
            double receivedBytesPerSecond,
            PlanScope scope) {
        this.change = change;
        this.pieces = pieces;
        this.problem = problem;
        this.solution = solution;
        this.nodes = nodes;
        this.scope = scope;
        long[] received = new long[nodes.count()];
        for (int piece = 0; piece < pieces.size(); piece++) {
            received[pieces.destinationNumber(piece)] += problem.bytes(solution.option(piece));
        }
        this.slowestReceiverSeconds = Arrays.stream(received).max().orElse(0) / receivedBytesPerSecond;
    }

    @Override
    public UUID id() {
        return scope.id();
    }

    @Override
    public List<Unavailable> unavailable() {
        return scope.unavailable();
    }

    @Override
    public String explanation() {
        return Explanation.of(this);
    }

    @Override
    public TopologyChange change() {
        return change;
    }

    @Override
    public List<Transfer> transfers() {
        return new AbstractList<>() {
            @Override
            public Transfer get(int piece) {
                return transfer(piece);
            }

            @Override
            public int size() {
                return pieces.size();
            }
        };
    }

    private Transfer transfer(int piece) {
        int option = solution.option(piece);
        Node source = nodes.node(problem.source(option));
        List<Integer> others = new ArrayList<>();
        for (int other = problem.firstOption(piece); other < problem.firstOption(piece + 1); other++) {
            if (other != option) {
                others.add(other);
            }
        }
        others.sort(Comparator.comparingInt(problem::distance));
        Reason reason = others.isEmpty()
                ? Reason.ONLY_ONE
                : problem.distance(option) < problem.distance(others.get(0)) ? Reason.NEAREST : Reason.EVEN;
        return new Transfer(
                source,
                pieces.destination(piece),
                pieces.table(piece),
                new Token(pieces.first(piece)),
                new Token(pieces.last(piece)),
                problem.bytes(option),
                others.stream().map(other -> nodes.node(problem.source(other))).toList(),
                reason);
    }

    @Override
    public double finishSeconds() {
        return Math.max(solution.makespanSeconds(), slowestReceiverSeconds);
    }

    @Override
    public double boundSeconds() {
        return Math.max(solution.boundSeconds(), slowestReceiverSeconds);
    }

    @Override
    public boolean isLimitedByReceiver() {
        return slowestReceiverSeconds >= solution.makespanSeconds() && slowestReceiverSeconds > 0;
    }

    @Override
    public double gap() {
        return boundSeconds() == 0 ? 0 : Math.max(0, finishSeconds() / boundSeconds() - 1);
    }

    @Override
    public boolean isBottleneck(Node source) {
        return solution.isBottleneck(nodes.of(source));
    }

    @Override
    public long totalBytes() {
        long bytes = 0;
        for (int piece = 0; piece < pieces.size(); piece++) {
            bytes += problem.bytes(solution.option(piece));
        }
        return bytes;
    }

    @Override
    public long bytesBetweenDcs() {
        long bytes = 0;
        for (int piece = 0; piece < pieces.size(); piece++) {
            bytes += problem.farBytes(solution.option(piece));
        }
        return bytes;
    }

    @Override
    public double finishSeconds(Node source, long bytes) {
        return problem.sources().finishSeconds(nodes.of(source), bytes);
    }

    @Override
    public List<Node> destinations() {
        return transfers().stream()
                .map(Transfer::destination)
                .distinct()
                .sorted(Comparator.comparing(Node::name))
                .toList();
    }

    @Override
    public StreamPlan streamPlan(UUID id, Node destination) {
        Map<Node, Map<TableRef, List<TokenRange>>> sources = new TreeMap<>(Comparator.comparing(Node::id));
        Map<Node, Map<TableRef, List<TokenRange>>> alternates = new LinkedHashMap<>();
        for (int piece = 0; piece < pieces.size(); piece++) {
            if (pieces.destination(piece).equals(destination)) {
                add(sources, solution.option(piece), piece);
                for (int other = problem.firstOption(piece); other < problem.firstOption(piece + 1); other++) {
                    if (other != solution.option(piece)) {
                        add(alternates, other, piece);
                    }
                }
            }
        }
        return new StreamPlan(id, change.operation(), requests(sources), requests(alternates));
    }

    private void add(Map<Node, Map<TableRef, List<TokenRange>>> bySource, int option, int piece) {
        bySource.computeIfAbsent(nodes.node(problem.source(option)), source -> new LinkedHashMap<>())
                .computeIfAbsent(pieces.table(piece), table -> new ArrayList<>())
                .add(TokenRange.of(
                        pieces.first(piece) - 1,
                        pieces.last(piece) == Long.MAX_VALUE ? Long.MIN_VALUE : pieces.last(piece)));
    }

    private static List<StreamRequest> requests(Map<Node, Map<TableRef, List<TokenRange>>> bySource) {
        List<StreamRequest> requests = new ArrayList<>();
        bySource.forEach((source, tables) -> tables.forEach(
                (table, ranges) -> requests.add(new StreamRequest(source, table, TokenRanges.of(ranges)))));
        return requests;
    }
}
