package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.metadata.DropTimes;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Counts tombstones and expiring data by the time from which they may be dropped: at most {@value #MAX_BINS} bins of
 * whole minutes; if there are more, merges the two nearest. Not thread-safe: confined to its writer.
 */
final class DropTimesBuilder {
    private static final int MAX_BINS = 100;
    private static final long ROUNDED_TO_SECONDS = 60;
    private static final int MAX_HELD = 20_000; // minutes in a fortnight: merging is slow, so it happens rarely

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

    /** Merges the two nearest bins until the limit is met. */
    private void mergeToBins() {
        while (counts.size() > MAX_BINS) {
            long left = leftOfNearest();
            long right = counts.higherKey(left);
            long countLeft = counts.getOrDefault(left, 0L);
            long countRight = counts.getOrDefault(right, 0L);
            counts.remove(left);
            counts.remove(right);
            long middle = left + (right - left) * countRight / (countLeft + countRight);
            counts.merge(middle, countLeft + countRight, Long::sum);
        }
    }

    private long leftOfNearest() {
        long nearest = counts.firstKey();
        long gap = Long.MAX_VALUE;
        long left = Long.MIN_VALUE;
        for (long right : counts.keySet()) {
            if (left != Long.MIN_VALUE && right - left < gap) {
                gap = right - left;
                nearest = left;
            }
            left = right;
        }
        return nearest;
    }

    DropTimes build() {
        mergeToBins();
        List<DropTimes.Bin> bins = counts.entrySet().stream()
                .map(bin -> new DropTimes.Bin(bin.getKey(), bin.getValue()))
                .toList();
        return new DropTimes(bins.size(), bins);
    }
}
