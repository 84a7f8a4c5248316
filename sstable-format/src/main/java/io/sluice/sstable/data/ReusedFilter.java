package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.metadata.BloomFilter;
import io.sluice.sstable.metadata.Histogram;
import java.io.IOException;
import java.util.Optional;

/**
 * The filter of a source as that of its slice. It contains all keys of the slice, and as few others as before, because
 * nobody asks for keys of other ranges; so it saves the hashes of all keys. Its length is that of a filter for the
 * whole source, so it is used only if the slice has much of it. Filters have no checksum: some keys of the slice are
 * tested, which finds a page that was lost, not each flipped bit. Immutable but for added keys.
 *
 * @param testInterval interval of the keys that are tested
 */
record ReusedFilter(BloomFilter filter, int testInterval) {
    /** The interval of all keys. */
    static final int ALL = 1;
    /**
     * For keys in the index, which is read anyway: a test costs a hash, and the memory of the filter. A page of 4 KiB
     * of it has bits of more than ten thousand keys.
     */
    private static final int BIG_INTERVAL = 256;
    /** For keys that have to be read in Data.db. */
    private static final int BTI_INTERVAL = 1_024;
    /** How many times as long as a new filter it may be: databases keep filters in memory. */
    private static final double MOST_LENGTHS = 2.5;

    /**
     * The filter to use again; empty if a new one is better, or if there is none. The number of keys is an estimate, of
     * which an error costs time or length only.
     *
     * @param share of the source's data that the slice has, 0 to 1
     * @throws SSTableException if it is malformed
     */
    static Optional<ReusedFilter> of(SSTable source, double share) throws IOException {
        double chance = source.statistics().validation().filterChance();
        if (chance >= 1 || !source.components().contains(Component.FILTER)) {
            return Optional.empty();
        }
        Histogram lengths = source.statistics().stats().distributions().partitionLengths();
        long keys = Math.round(lengths.total() * share);
        long lengthOfNew = BloomFilter.lengthBytes(keys, chance);
        long length = source.lengthBytes(Component.FILTER);
        if (length < lengthOfNew || length > MOST_LENGTHS * lengthOfNew) {
            return Optional.empty();
        }
        BloomFilter filter = BloomFilter.read(
                source.path(Component.FILTER), source.descriptor().version());
        boolean isBig = source.descriptor().version().format() == SSTableFormat.BIG;
        return Optional.of(new ReusedFilter(filter, isBig ? BIG_INTERVAL : BTI_INTERVAL));
    }
}
