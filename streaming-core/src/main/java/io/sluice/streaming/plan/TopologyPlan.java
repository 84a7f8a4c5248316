package io.sluice.streaming.plan;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.balance.Problem;
import io.sluice.streaming.plan.balance.Solution;
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

/** Who sends which tokens of which tables to whom, when that ends, and how good it is. Immutable. */
public final class TopologyPlan {
    private final TopologyChange change;
    private final PlanRanges pieces;
    private final Problem problem;
    private final Solution solution;
    private final NodeNumbers nodes;
    private final double slowestReceiverSeconds;

    TopologyPlan(
            TopologyChange change,
            PlanRanges pieces,
            Problem problem,
            Solution solution,
            NodeNumbers nodes,
            double receivedBytesPerSecond) {
        this.change = change;
        this.pieces = pieces;
        this.problem = problem;
        this.solution = solution;
        this.nodes = nodes;
        long[] received = new long[nodes.count()];
        for (int piece = 0; piece < pieces.size(); piece++) {
            received[nodes.of(pieces.destination(piece))] += problem.bytes(solution.option(piece));
        }
        this.slowestReceiverSeconds = Arrays.stream(received).max().orElse(0) / receivedBytesPerSecond;
    }

    /**
     * A stretch of tokens that one node sends to another.
     *
     * @param first its first token, included
     * @param last its last token, included
     * @param bytes estimated
     * @param alternates who else could send it, the nearest first
     * @param reason why this source
     */
    public record Transfer(
            Node source,
            Node destination,
            TableRef table,
            Token first,
            Token last,
            long bytes,
            List<Node> alternates,
            Reason reason) {}

    /** Why a source was chosen. */
    public enum Reason {
        ONLY_ONE("nobody else may send it"),
        NEAREST("nearest, and in time"),
        EVEN("so that all finish at the same time");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        /** For people. */
        public String text() {
            return text;
        }
    }

    /** What is to happen. */
    public TopologyChange change() {
        return change;
    }

    /** All transfers, in a list that makes them when they are asked for. */
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

    /** When the slowest sender has sent and the slowest receiver received everything, in seconds from the start. */
    public double finishSeconds() {
        return Math.max(solution.makespanSeconds(), slowestReceiverSeconds);
    }

    /** No plan for this change that keeps to its pieces ends before; what is received is the same in all. */
    public double boundSeconds() {
        return Math.max(solution.boundSeconds(), slowestReceiverSeconds);
    }

    /** Whether it is a receiver, and no sender, that decides when the plan ends. */
    public boolean isLimitedByReceiver() {
        return slowestReceiverSeconds >= solution.makespanSeconds() && slowestReceiverSeconds > 0;
    }

    /** By how much the plan may be later than the best one: 0.05 is five percent. */
    public double gap() {
        return boundSeconds() == 0 ? 0 : Math.max(0, finishSeconds() / boundSeconds() - 1);
    }

    /** Whether {@code source} is one of those that set the bound, since others do not have what it has. */
    public boolean isBottleneck(Node source) {
        return solution.isBottleneck(nodes.of(source));
    }

    /** Bytes of all transfers. */
    public long totalBytes() {
        long bytes = 0;
        for (int piece = 0; piece < pieces.size(); piece++) {
            bytes += problem.bytes(solution.option(piece));
        }
        return bytes;
    }

    /** Bytes that travel between data centres. */
    public long bytesBetweenDcs() {
        long bytes = 0;
        for (int piece = 0; piece < pieces.size(); piece++) {
            bytes += problem.farBytes(solution.option(piece));
        }
        return bytes;
    }

    /** When {@code source} will have sent {@code bytes}, in seconds from the start. */
    public double finishSeconds(Node source, long bytes) {
        return problem.sources().finishSeconds(nodes.of(source), bytes);
    }

    /** All destinations, by name. */
    public List<Node> destinations() {
        return transfers().stream()
                .map(Transfer::destination)
                .distinct()
                .sorted(Comparator.comparing(Node::name))
                .toList();
    }

    /** What {@code destination} has to fetch, and from whom else it may, as its node executes it. */
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
