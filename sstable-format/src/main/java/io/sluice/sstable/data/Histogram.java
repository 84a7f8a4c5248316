package io.sluice.sstable.data;

import io.sluice.sstable.encoding.GrowingBuffer;
import java.util.Arrays;

/**
 * Counts numbers in buckets whose limits grow by a fifth each, as the statistics of an SSTable hold them. Not
 * thread-safe: confined to its writer.
 */
final class Histogram {
    private final long[] limits;
    private final long[] counts;

    Histogram(int limitCount) {
        limits = new long[limitCount];
        counts = new long[limitCount + 1];
        long limit = 1;
        for (int i = 0; i < limitCount; i++) {
            limits[i] = limit;
            limit = Math.max(limit + 1, Math.round(limit * 1.2));
        }
    }

    void add(long number) {
        int at = Arrays.binarySearch(limits, number);
        counts[at >= 0 ? at : -at - 1]++;
    }

    void writeTo(GrowingBuffer out) {
        out.putInt(counts.length);
        for (int i = 0; i < counts.length; i++) {
            out.putLong(limits[Math.max(0, i - 1)]).putLong(counts[i]);
        }
    }
}
