package io.sluice.harness.plan;

import io.sluice.harness.plan.ModelledSSTables.Interval;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.planner.DataSizes;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Positions of tokens among all data of a source, in token order. Made once for each source of a table, which many
 * nodes may ask for a part. Immutable.
 */
final class SourcePositions {
    private final TableRef table;
    private final Node source;
    private final DataSizes sizes;
    private final long[] firsts;
    private final long[] lasts;
    /** Where each range begins; then where the last one ends. */
    private final double[] starts;

    /**
     * Asks for the bytes of each range.
     *
     * @param owned by the source
     */
    SourcePositions(TableRef table, Node source, TokenRanges owned, DataSizes sizes) {
        this.table = table;
        this.source = source;
        this.sizes = sizes;
        List<TokenRange> ranges = owned.ranges();
        this.firsts = ranges.stream().mapToLong(SourcePositions::first).toArray();
        this.lasts = ranges.stream().mapToLong(SourcePositions::last).toArray();
        this.starts = new double[firsts.length + 1];
        for (int i = 0; i < firsts.length; i++) {
            starts[i + 1] = starts[i] + sizes.bytes(table, source, firsts[i], lasts[i]);
        }
    }

    double totalBytes() {
        return starts[firsts.length];
    }

    /** Those of the wanted tokens that the source has, ascending; without those that have no bytes. */
    List<Interval> wanted(TokenRanges ranges) {
        List<Interval> wanted = new ArrayList<>();
        for (TokenRange range : ranges.ranges()) {
            for (int i = rangeAt(first(range)); i < firsts.length && firsts[i] <= last(range); i++) {
                add(i, Math.max(firsts[i], first(range)), Math.min(lasts[i], last(range)), wanted);
            }
        }
        return wanted;
    }

    /** The number of the owned range that holds a token, or of the next one. */
    private int rangeAt(long token) {
        int at = Arrays.binarySearch(lasts, token);
        return at >= 0 ? at : -at - 1;
    }

    private void add(int owned, long first, long last, List<Interval> wanted) {
        double before = first == firsts[owned] ? 0 : sizes.bytes(table, source, firsts[owned], first - 1);
        double bytes = sizes.bytes(table, source, first, last);
        if (bytes > 0) {
            double start = starts[owned] + before;
            TokenRange range = TokenRange.of(first - 1, last == Long.MAX_VALUE ? Long.MIN_VALUE : last);
            wanted.add(new Interval(range, start, start + bytes));
        }
    }

    private static long first(TokenRange range) {
        return range.start().value() + 1;
    }

    private static long last(TokenRange range) {
        return range.end().value() == Long.MIN_VALUE
                ? Long.MAX_VALUE
                : range.end().value();
    }
}
