package io.sluice.streaming.planner;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Who needs which tokens, and who could send them: the difference that a change makes to one ring, by number and in
 * arrays, as there may be millions. Ranges that wrap around are cut in two; neighbours that nothing distinguishes are
 * one. Not thread-safe: confined to one planner.
 */
final class Demand {
    private static final int NONE = -1;

    private int[] destination = new int[64];
    private long[] first = new long[64];
    private long[] last = new long[64];
    private int[][] sources = new int[64][];
    private int size;
    private final int[] latestOf;

    /** @param nodeCount how many nodes there are that may send or receive */
    Demand(int nodeCount) {
        this.latestOf = new int[nodeCount];
        Arrays.fill(latestOf, NONE);
    }

    int size() {
        return size;
    }

    /** The number of the node that needs it. */
    int destination(int need) {
        return destination[need];
    }

    long first(int need) {
        return first[need];
    }

    long last(int need) {
        return last[need];
    }

    /** The numbers of the nodes that may send it, all of them alive; at least one. Not to be changed. */
    int[] sources(int need) {
        return sources[need];
    }

    /** Adds the tokens of {@code range}; nodes by number. */
    void add(int to, TokenRange range, int[] from) {
        for (TokenRange part : TokenRanges.of(range).ranges()) {
            long start = part.start().value() + 1;
            long end = part.end().value() == Long.MIN_VALUE
                    ? Long.MAX_VALUE
                    : part.end().value();
            add(to, start, end, from);
        }
    }

    private void add(int to, long start, long end, int[] from) {
        int latest = latestOf[to];
        if (latest != NONE && last[latest] == start - 1 && Arrays.equals(sources[latest], from)) {
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
        sources[size] = from;
        latestOf[to] = size++;
    }

    /** The needs of each node, ascending by token; by the node's number. */
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
