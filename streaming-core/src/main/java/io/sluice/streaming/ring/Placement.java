package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;

/**
 * Which nodes hold which range, by number: ranges ascending by end, nodes as in {@link #nodes()}. For those who walk
 * over hundreds of thousands of ranges; others ask {@link Ring}. Immutable.
 */
public final class Placement {
    private final List<Node> nodes;
    private final long[] ends;
    private final int[] offsets;
    private final int[] replicas;

    /**
     * Takes over the arrays.
     *
     * @param offsets of length {@code ends.length + 1}: where in {@code replicas} those of a range begin
     */
    Placement(List<Node> nodes, long[] ends, int[] offsets, int[] replicas) {
        this.nodes = nodes;
        this.ends = ends;
        this.offsets = offsets;
        this.replicas = replicas;
    }

    /** All nodes of the ring; a node's number is its place here. */
    public List<Node> nodes() {
        return nodes;
    }

    /** How many ranges there are; at least one. */
    public int rangeCount() {
        return ends.length;
    }

    /** The last token of a range, included. Range 0 begins after the end of the last range and so may wrap. */
    public long end(int range) {
        return ends[range];
    }

    /** How many nodes hold a range. */
    public int replicaCount(int range) {
        return offsets[range + 1] - offsets[range];
    }

    /** The number of a node that holds a range; the primary one has the {@code index} 0. */
    public int replica(int range, int index) {
        return replicas[offsets[range] + index];
    }

    /** The number of the range that holds {@code token}. */
    public int rangeOf(long token) {
        int at = Arrays.binarySearch(ends, token);
        int range = at >= 0 ? at : -at - 1;
        return range == ends.length ? 0 : range;
    }

    /** A range, in the form that {@link io.sluice.sstable.token.TokenRanges} uses. */
    public TokenRange range(int range) {
        long start = range == 0 ? ends[ends.length - 1] : ends[range - 1];
        long end = ends[range];
        return TokenRange.of(
                start == Long.MAX_VALUE ? Long.MIN_VALUE : start, end == Long.MAX_VALUE ? Long.MIN_VALUE : end);
    }

    /** The nodes that hold a range, the primary one first. */
    public List<Node> replicas(int range) {
        return new AbstractList<>() {
            @Override
            public Node get(int index) {
                return nodes.get(replica(range, index));
            }

            @Override
            public int size() {
                return replicaCount(range);
            }
        };
    }

    /** The number of the range that is, or holds all of, {@code range}. */
    int rangeOf(TokenRange range) {
        return rangeOf(
                range.end().equals(Token.MINIMUM) ? Long.MAX_VALUE : range.end().value());
    }
}
