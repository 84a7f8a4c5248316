package io.sluice.streaming.planner;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which nodes need which tokens, and which nodes could send them: the effect of a change on one ring, with numbered
 * nodes and in arrays, because there may be millions of ranges. Wrapping ranges are split in two; equal neighbours are
 * merged. Not thread-safe: confined to one planner.
 */
final class Demand {
    private static final int NONE = -1;

    private int[] destination = new int[64];
    private long[] first = new long[64];
    private long[] last = new long[64];
    private int[] sources = new int[64];
    private final NodeLists lists = new NodeLists();
    private int size;
    private final int[] latestOf;

    /** @param nodeCount the number of nodes that may send or receive */
    Demand(int nodeCount) {
        this.latestOf = new int[nodeCount];
        Arrays.fill(latestOf, NONE);
    }

    int size() {
        return size;
    }

    long first(int need) {
        return first[need];
    }

    long last(int need) {
        return last[need];
    }

    /** The numbers of the nodes that may send it, all of them up; at least one. */
    int[] sources(int need) {
        return lists.copy(sources[need]);
    }

    /** The lists of {@link #listOf}. */
    NodeLists lists() {
        return lists;
    }

    /** The number of the list of {@link #sources(int)}. */
    int listOf(int need) {
        return sources[need];
    }

    /** Copies all destinations, first and last tokens to these arrays, from {@code index} on. */
    void copyTo(int[] destinations, long[] firstTokens, long[] lastTokens, int index) {
        System.arraycopy(destination, 0, destinations, index, size);
        System.arraycopy(first, 0, firstTokens, index, size);
        System.arraycopy(last, 0, lastTokens, index, size);
    }

    /** Adds the tokens of {@code range}; nodes by number. */
    void add(int to, TokenRange range, int[] from) {
        if (range.wraps()) { // of a ring it is one range: no set for each of the others
            TokenRanges.of(range).ranges().forEach(part -> addUnwrapped(to, part, from));
        } else {
            addUnwrapped(to, range, from);
        }
    }

    private void addUnwrapped(int to, TokenRange range, int[] from) {
        long last = range.end().value();
        add(to, range.start().value() + 1, last == Long.MIN_VALUE ? Long.MAX_VALUE : last, from);
    }

    private void add(int to, long start, long end, int[] from) {
        int latest = latestOf[to];
        if (latest != NONE && last[latest] == start - 1 && lists.isEqual(sources[latest], from)) {
            last[latest] = end;
            return;
        }
        if (size == destination.length) {
            int capacity = Math.multiplyExact(size, 2);
            destination = Arrays.copyOf(destination, capacity);
            first = Arrays.copyOf(first, capacity);
            last = Arrays.copyOf(last, capacity);
            sources = Arrays.copyOf(sources, capacity);
        }
        destination[size] = to;
        first[size] = start;
        last[size] = end;
        sources[size] = lists.add(from);
        latestOf[to] = size++;
    }

    /** The needs of each node, ascending by token; indexed by node number. */
    List<List<Integer>> byDestination() {
        List<List<Integer>> needs = new ArrayList<>();
        for (int i = 0; i < latestOf.length; i++) {
            needs.add(new ArrayList<>());
        }
        for (int need = 0; need < size; need++) {
            needs.get(destination[need]).add(need);
        }
        needs.forEach(ofOne -> ofOne.sort((a, b) -> Long.compare(first[a], first[b])));
        return needs;
    }
}
