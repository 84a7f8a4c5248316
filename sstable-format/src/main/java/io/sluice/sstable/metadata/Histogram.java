package io.sluice.sstable.metadata;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Counts of numbers in buckets. Bucket i counts those above limit i - 1 up to limit i; the last bucket those above all
 * limits. Immutable. Kept as it is stored, because there are hundreds of numbers in each of thousands of SSTables, of
 * which hardly one is looked at: for each bucket i its lower limit, i - 1, and its count, both {@code i64}; the first
 * bucket has its upper one.
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

    private final Bytes buckets;

    private Histogram(Bytes buckets) {
        this.buckets = buckets;
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
            ByteBuffer buckets = ByteBuffer.allocate(counts.length * BUCKET_BYTES);
            for (int i = 0; i < counts.length; i++) {
                buckets.putLong(limits[Math.max(0, i - 1)]).putLong(counts[i]);
            }
            return new Histogram(Bytes.wrap(buckets.array()));
        }
    }

    /** An estimate for a part of the numbers, with {@code share} from 0 to 1; a bucket that is not empty stays so. */
    public Histogram scaled(double share) {
        ByteBuffer scaled = ByteBuffer.wrap(buckets.toArray());
        for (int at = Long.BYTES; at < scaled.capacity(); at += BUCKET_BYTES) {
            long count = scaled.getLong(at);
            scaled.putLong(at, count == 0 ? 0 : Math.max(1, Math.round(count * share)));
        }
        return new Histogram(Bytes.wrap(scaled.array()));
    }

    /** The number of counted numbers. */
    public long total() {
        ByteBuffer content = buckets.asBuffer();
        long total = 0;
        for (int at = Long.BYTES; at < content.capacity(); at += BUCKET_BYTES) {
            total += content.getLong(at);
        }
        return total;
    }

    static Histogram read(ComponentInput in) throws IOException {
        int count = in.readIntCount("buckets", BUCKET_BYTES);
        in.require("buckets", count, 2, MOST_BUCKETS);
        return new Histogram(in.readBytes((long) count * BUCKET_BYTES));
    }

    void write(GrowingBuffer out) {
        out.putInt(buckets.length() / BUCKET_BYTES).put(buckets);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Histogram that && buckets.equals(that.buckets);
    }

    @Override
    public int hashCode() {
        return buckets.hashCode();
    }

    @Override
    public String toString() {
        return total() + " numbers in " + buckets.length() / BUCKET_BYTES + " buckets";
    }
}
