package io.sluice.streaming.planner;

import io.sluice.streaming.planner.balance.BalanceProblem;
import io.sluice.streaming.planner.balance.Sources;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Node.Location;
import io.sluice.streaming.store.TableRef;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * The pieces of a plan, with numbered nodes and in arrays: tokens of a table that one node needs from one of several
 * sources.
 */
final class PlanRanges {
    private final List<TableRef> tables;
    private final NodeNumbers nodes;
    private int[] table = new int[64];
    private int[] destination = new int[64];
    private long[] first = new long[64];
    private long[] last = new long[64];
    private int[] sources = new int[64];
    private final NodeLists lists = new NodeLists();
    /** The number of the first list of a demand, which tables with the same ring share. */
    private final IdentityHashMap<Demand, Integer> firstListOf = new IdentityHashMap<>();

    private int size;

    PlanRanges(List<TableRef> tables, NodeNumbers nodes) {
        this.tables = tables;
        this.nodes = nodes;
    }

    int size() {
        return size;
    }

    TableRef table(int piece) {
        return tables.get(table[piece]);
    }

    Node destination(int piece) {
        return nodes.node(destination[piece]);
    }

    int destinationNumber(int piece) {
        return destination[piece];
    }

    long first(int piece) {
        return first[piece];
    }

    long last(int piece) {
        return last[piece];
    }

    /** @throws IllegalArgumentException for no token: its range would be the whole ring but for a gap */
    void add(int ofTable, int to, long firstToken, long lastToken, int[] from) {
        if (firstToken > lastToken) {
            throw new IllegalArgumentException(
                    "piece of tokens " + firstToken + " to " + lastToken + " (expected: one token at least)");
        }
        if (size == table.length) {
            resize(Math.multiplyExact(size, 2));
        }
        table[size] = ofTable;
        destination[size] = to;
        first[size] = firstToken;
        last[size] = lastToken;
        sources[size++] = lists.add(from);
    }

    /** Adds a piece for each need of a table. */
    void addAll(int ofTable, Demand demand) {
        int end = Math.addExact(size, demand.size());
        if (end > table.length) {
            resize(Math.max(end, Math.multiplyExact(table.length, 2)));
        }
        Arrays.fill(table, size, end, ofTable);
        demand.copyTo(destination, first, last, size);
        int firstList = firstListOf.computeIfAbsent(demand, added -> lists.addAll(added.lists()));
        for (int need = 0; need < demand.size(); need++) {
            sources[size + need] = firstList + demand.listOf(need);
        }
        size = end;
    }

    private void resize(int capacity) {
        table = Arrays.copyOf(table, capacity);
        destination = Arrays.copyOf(destination, capacity);
        first = Arrays.copyOf(first, capacity);
        last = Arrays.copyOf(last, capacity);
        sources = Arrays.copyOf(sources, capacity);
    }

    /** The pieces as a problem for the balancer: an option for each possible source. */
    BalanceProblem toProblem(DataSizes sizes, Sources rates) {
        int options = 0;
        for (int piece = 0; piece < size; piece++) {
            options += lists.size(sources[piece]);
        }
        BalanceProblem.Builder problem = new BalanceProblem.Builder(rates, size, options);
        for (int piece = 0; piece < size; piece++) {
            Location to = nodes.node(destination[piece]).location();
            for (int i = 0; i < lists.size(sources[piece]); i++) {
                int source = lists.get(sources[piece], i);
                Node from = nodes.node(source);
                problem.option(
                        source,
                        sizes.bytes(table(piece), from, first[piece], last[piece]),
                        from.location().distanceTo(to));
            }
            problem.endPiece();
        }
        return problem.build();
    }

    /** A copy in which pieces of more than {@code limit} bytes are cut into pieces of about that size. */
    PlanRanges cut(DataSizes sizes, long limit) {
        PlanRanges parts = new PlanRanges(tables, nodes);
        for (int piece = 0; piece < size; piece++) {
            cut(piece, first[piece], last[piece], sizes, limit, parts);
        }
        return parts;
    }

    private void cut(int piece, long from, long to, DataSizes sizes, long limit, PlanRanges parts) {
        Node source = nodes.node(lists.get(sources[piece], 0));
        long bytes = sizes.bytes(table(piece), source, from, to);
        if (bytes <= limit || from == to) {
            parts.add(table[piece], destination[piece], from, to, lists.copy(sources[piece]));
            return;
        }
        long middle = middle(table(piece), source, from, to, sizes, bytes);
        cut(piece, from, middle, sizes, limit, parts);
        cut(piece, middle + 1, to, sizes, limit, parts);
    }

    /**
     * The last token of the first half: the end of an SSTable if one ends in the middle half, otherwise the token at
     * half the bytes.
     */
    private static long middle(TableRef table, Node source, long from, long to, DataSizes sizes, long bytes) {
        long low = from;
        long high = to - 1;
        while (low < high) {
            long half = low + ((high - low) >>> 1);
            if (sizes.bytes(table, source, from, half) < bytes / 2) {
                low = half + 1;
            } else {
                high = half;
            }
        }
        long best = low;
        double nearest = bytes / 4.0;
        for (SSTableSpan span : sizes.spans(table, source)) {
            long end = span.last().value();
            if (end >= from && end < to) {
                double off = Math.abs(sizes.bytes(table, source, from, end) - bytes / 2.0);
                if (off < nearest) {
                    nearest = off;
                    best = end;
                }
            }
        }
        return best;
    }
}
