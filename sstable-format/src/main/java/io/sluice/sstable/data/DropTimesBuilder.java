package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.metadata.DropTimes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts tombstones and expiring data by the time from which they may be dropped: at most {@value #MAX_BINS} bins of
 * whole minutes; if there are more, merges the two nearest. Not thread-safe: confined to its writer.
 */
final class DropTimesBuilder {
    private static final int MAX_BINS = 100;
    private static final long ROUNDED_TO_SECONDS = 60;
    private static final int MAX_HELD = 20_000; // minutes in a fortnight

    private final long lastSecond;
    private final NavigableMap<Long, Long> counts = new TreeMap<>();

    DropTimesBuilder(Version version) {
        this.lastSecond = version.hasUnsignedDeletionTimes() ? 0xffff_fffdL : Integer.MAX_VALUE - 1L;
    }

    void add(long localDeletionTime) {
        long minutes = Math.floorDiv(localDeletionTime + ROUNDED_TO_SECONDS - 1, ROUNDED_TO_SECONDS);
        counts.merge(Math.min(minutes * ROUNDED_TO_SECONDS, lastSecond), 1L, Long::sum);
        if (counts.size() > MAX_HELD) {
            mergeToBins();
        }
    }

    /** A bin between two others; a bin into which two were merged takes their place. */
    private static final class Bin {
        final long time;
        final long count;

        @Nullable
        Bin left;

        @Nullable
        Bin right;

        boolean isMerged;

        Bin(long time, long count) {
            this.time = time;
            this.count = count;
        }

        void follow(Bin before) {
            left = before;
            before.right = this;
        }
    }

    /** Two bins side by side. */
    private record Pair(Bin left, Bin right) {
        static final Comparator<Pair> NEAREST_THEN_EARLIEST = Comparator.<Pair>comparingLong(
                        pair -> pair.right.time - pair.left.time)
                .thenComparingLong(pair -> pair.left.time);

        boolean isGone() {
            return left.isMerged || right.isMerged;
        }

        Bin merged() {
            long gap = right.time - left.time;
            Bin merged = new Bin(left.time + gap * right.count / (left.count + right.count), left.count + right.count);
            left.isMerged = true;
            right.isMerged = true;
            return merged;
        }
    }

    /** Merges the two nearest bins until the limit is met. */
    private void mergeToBins() {
        if (counts.size() <= MAX_BINS) {
            return;
        }
        PriorityQueue<Pair> pairs = new PriorityQueue<>(counts.size(), Pair.NEAREST_THEN_EARLIEST);
        Bin last = null;
        for (Map.Entry<Long, Long> entry : counts.entrySet()) {
            Bin bin = new Bin(entry.getKey(), entry.getValue());
            if (last != null) {
                bin.follow(last);
                pairs.add(new Pair(last, bin));
            }
            last = bin;
        }
        while (counts.size() > MAX_BINS) {
            Pair nearest = pairs.remove();
            if (nearest.isGone()) {
                continue;
            }
            Bin merged = nearest.merged();
            counts.remove(nearest.left.time);
            counts.remove(nearest.right.time);
            counts.put(merged.time, merged.count);
            Bin before = nearest.left.left;
            if (before != null) {
                merged.follow(before);
                pairs.add(new Pair(before, merged));
            }
            Bin after = nearest.right.right;
            if (after != null) {
                after.follow(merged);
                pairs.add(new Pair(merged, after));
            }
        }
    }

    DropTimes build() {
        mergeToBins();
        List<DropTimes.Bin> bins = counts.entrySet().stream()
                .map(bin -> new DropTimes.Bin(bin.getKey(), bin.getValue()))
                .toList();
        return new DropTimes(bins.size(), bins);
    }
}
