package io.sluice.sstable.metadata;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Counts of numbers in buckets. Bucket i counts those above {@code limits[i - 1]} up to {@code limits[i]}; the last
 * bucket those above all limits. Immutable. Uses plain arrays, because there are hundreds of numbers in each of
 * thousands of SSTables.
 */
public final class Histogram {
    /** The number of limits for partition lengths in Cassandra 4; 5.0 uses {@link #LENGTH_LIMITS}. */
    static final int OLD_LENGTH_LIMITS = 150;

    /** The number of limits for partition lengths. */
    static final int LENGTH_LIMITS = 155;

    /** The number of limits for cells per partition. */
    public static final int CELL_LIMITS = 118;

    private static final int BUCKET_BYTES = 2 * Long.BYTES;

    /** Each limit is a fifth larger than the previous one: 64 bits have 243. */
    private static final int MOST_BUCKETS = 1 << 12;

    /** Their buckets fit a byte. */
    private static final int SMALL = 256;

    private final long[] limits; // ascending
    private final long[] counts; // one more than limits

    /** Takes the arrays over. */
    private Histogram(long[] limits, long[] counts) {
        this.limits = limits;
        this.counts = counts;
    }

    /**
     * Counts numbers; each limit is a fifth larger than the previous one, from 1. Not thread-safe: confined to its
     * owner.
     */
    public static final class Builder {
        private final long[] limits;
        private final long[] counts;
        /** The buckets of small numbers, such as lengths of tiny partitions, of which there are most. */
        private final byte[] small = new byte[SMALL];

        private int lastBucket;

        /** A builder for partition lengths, with the limits of {@code version}. */
        public static Builder ofLengths(Version version) {
            return new Builder(version.hasLongHistograms() ? LENGTH_LIMITS : OLD_LENGTH_LIMITS);
        }

        public Builder(int limitCount) {
            limits = new long[limitCount];
            counts = new long[limitCount + 1];
            long limit = 1;
            for (int i = 0; i < limitCount; i++) {
                limits[i] = limit;
                limit = Math.max(limit + 1, Math.round(limit * 1.2));
            }
            for (int number = 0; number < SMALL; number++) {
                small[number] = (byte) bucketOf(number);
            }
        }

        public void add(long number) {
            if (number >= 0 && number < SMALL) {
                counts[small[(int) number]]++;
                return;
            }
            if (!isInLastBucket(number)) {
                lastBucket = bucketOf(number);
            }
            counts[lastBucket]++;
        }

        private int bucketOf(long number) {
            int at = Arrays.binarySearch(limits, number);
            return at >= 0 ? at : -at - 1;
        }

        /** A fast path: partitions of a table are often similar. */
        private boolean isInLastBucket(long number) {
            return (lastBucket == limits.length || number <= limits[lastBucket])
                    && (lastBucket == 0 || number > limits[lastBucket - 1]);
        }

        public Histogram build() {
            return new Histogram(limits.clone(), counts.clone());
        }
    }

    /** An estimate for a part of the numbers, with {@code share} from 0 to 1; a bucket that is not empty stays so. */
    public Histogram scaled(double share) {
        long[] scaled = new long[counts.length];
        for (int i = 0; i < counts.length; i++) {
            scaled[i] = counts[i] == 0 ? 0 : Math.max(1, Math.round(counts[i] * share));
        }
        return new Histogram(limits, scaled);
    }

    /** The number of counted numbers. */
    public long total() {
        return LongStream.of(counts).sum();
    }

    static Histogram read(ComponentInput in) throws IOException {
        int buckets = in.readIntCount("buckets", BUCKET_BYTES);
        in.require("buckets", buckets, 2, MOST_BUCKETS);
        var limits = new long[buckets - 1];
        var counts = new long[buckets];
        var both = new long[2 * buckets]; // at once: one by one took a tenth of the preparation of a new process
        in.readLongs(both, ByteOrder.BIG_ENDIAN);
        for (int i = 0; i < buckets; i++) {
            limits[Math.max(0, i - 1)] = both[2 * i]; // the first limit is there twice
            counts[i] = both[2 * i + 1];
        }
        return new Histogram(limits, counts);
    }

    void write(GrowingBuffer out) {
        out.putInt(counts.length);
        for (int i = 0; i < counts.length; i++) {
            out.putLong(limits[Math.max(0, i - 1)]).putLong(counts[i]);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Histogram that
                && Arrays.equals(limits, that.limits)
                && Arrays.equals(counts, that.counts);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(limits) + Arrays.hashCode(counts);
    }

    @Override
    public String toString() {
        return total() + " numbers in " + counts.length + " buckets";
    }
}
