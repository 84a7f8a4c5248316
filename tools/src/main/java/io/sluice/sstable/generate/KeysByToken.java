package io.sluice.sstable.generate;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.Arrays;

/**
 * Iterates over the partitions of a {@link DataSet} in token order. Cuts the ring into slices of about
 * {@value #KEYS_PER_SLICE} keys; for each slice, hashes all keys and sorts those in the slice, so memory is bounded and
 * time grows with the number of slices. Not thread-safe.
 */
final class KeysByToken {
    private static final int INDEX_BITS = 22;
    private static final int MAX_KEYS = 1 << INDEX_BITS;
    private static final int KEYS_PER_SLICE = MAX_KEYS / 2; // leaves room for slices with more keys than average

    private final DataSet dataSet;
    private final TokenRanges wanted;
    private final int slices;
    private final byte[] key;
    private int slice = -1;
    private int at = -1;
    private int found;
    private final long[] partitions;
    private final long[] order; // highest bits of the token, then an index into partitions

    KeysByToken(DataSet dataSet, TokenRanges wanted) {
        this.dataSet = dataSet;
        this.wanted = wanted;
        this.slices = Math.toIntExact(dataSet.partitions() / KEYS_PER_SLICE + 1);
        this.key = dataSet.newKey();
        int capacity = (int) Math.min(MAX_KEYS, dataSet.partitions());
        this.partitions = new long[capacity];
        this.order = new long[capacity];
    }

    /** Moves to the next partition; returns false after the last. */
    boolean advance() {
        at++;
        while (at >= found) {
            slice++;
            if (slice >= slices) {
                return false;
            }
            fillSlice();
            at = 0;
        }
        return true;
    }

    /** Number of the partition, as the data set counts. */
    long partition() {
        return partitions[indexAt(at)];
    }

    PartitionKey key() {
        return PartitionKey.of(keyOf(partition()));
    }

    long token() {
        return token(partition());
    }

    private void fillSlice() {
        found = 0;
        TokenRanges tokens = wanted.intersection(TokenRanges.of(sliceRange()));
        if (tokens.isEmpty()) {
            return;
        }
        for (long partition = 0; partition < dataSet.partitions(); partition++) {
            long token = token(partition);
            if (tokens.contains(new Token(token))) {
                partitions[found] = partition;
                order[found] = (token & -MAX_KEYS) | found;
                found++;
            }
        }
        Arrays.sort(order, 0, found);
        sortTies();
    }

    private TokenRange sliceRange() {
        long length = Long.divideUnsigned(-1L, slices);
        long start = Long.MIN_VALUE + slice * length;
        return TokenRange.of(start, slice == slices - 1 ? Long.MIN_VALUE : start + length);
    }

    /** Sorts entries with equal high bits by the whole token, then by key; an insertion sort, as there are few. */
    private void sortTies() {
        for (int i = 1; i < found; i++) {
            for (int j = i; j > 0 && isOutOfOrder(j); j--) {
                long swapped = order[j];
                order[j] = order[j - 1];
                order[j - 1] = swapped;
            }
        }
    }

    private boolean isOutOfOrder(int right) {
        if ((order[right] & -MAX_KEYS) != (order[right - 1] & -MAX_KEYS)) {
            return false;
        }
        long partition = partitions[indexAt(right)];
        long before = partitions[indexAt(right - 1)];
        int byToken = Long.compare(token(before), token(partition));
        return byToken != 0 ? byToken > 0 : keyOf(before).compareTo(keyOf(partition)) > 0;
    }

    private int indexAt(int position) {
        return (int) (order[position] & (MAX_KEYS - 1));
    }

    private long token(long partition) {
        dataSet.fillKey(partition, key);
        return Murmur3.of(key).token().value();
    }

    private Bytes keyOf(long partition) {
        byte[] copy = dataSet.newKey();
        dataSet.fillKey(partition, copy);
        return Bytes.wrap(copy);
    }
}
