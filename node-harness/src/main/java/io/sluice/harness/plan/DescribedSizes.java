package io.sluice.harness.plan;

import io.sluice.streaming.planner.DataSizes;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Map;

/** Estimated sizes: uniform over the ring, except some hot ranges. The same on all replicas. Immutable. */
record DescribedSizes(Map<TableRef, Density> tables) implements DataSizes {
    private static final double RING = 0x1p64;

    /** Bytes spread evenly over the whole ring, plus those of hot ranges. */
    record Density(long evenBytes, List<HotRange> hot) {}

    /** Additional bytes from {@code first} to {@code last}, both included. */
    record HotRange(long first, long last, long bytes) {
        /** Of the tokens after {@code start} up to {@code end}: two across the end of the ring, by their widths. */
        static List<HotRange> of(long start, long end, long bytes) {
            if (start < end) {
                return List.of(new HotRange(start + 1, end, bytes));
            }
            double above = (double) Long.MAX_VALUE - start;
            double below = (double) end - Long.MIN_VALUE + 1;
            long bytesAbove = Math.round(bytes * (above / (above + below)));
            // After the highest token there is none: that part has no bytes, wherever it begins.
            return List.of(
                    new HotRange(start + 1, Long.MAX_VALUE, bytesAbove),
                    new HotRange(Long.MIN_VALUE, end, bytes - bytesAbove));
        }

        double bytesBetween(long from, long to) {
            double width = (double) last - first + 1;
            double common = (double) Math.min(to, last) - Math.max(from, first) + 1;
            return common <= 0 ? 0 : bytes * (common / width);
        }
    }

    @Override
    public long bytes(TableRef table, Node node, long first, long last) {
        Density density = tables.get(table);
        if (density == null) {
            return 0;
        }
        double bytes = density.evenBytes() * (((double) last - first + 1) / RING);
        for (HotRange range : density.hot()) {
            bytes += range.bytesBetween(first, last);
        }
        return Math.round(bytes);
    }

    @Override
    public boolean knowsSSTables() {
        return false;
    }

    @Override
    public List<SSTableSpan> spans(TableRef table, Node node) {
        return List.of();
    }
}
