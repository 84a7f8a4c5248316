package io.sluice.sstable.data;

import io.sluice.sstable.key.PartitionKey;

/**
 * The data before the rows of a partition. Ordered by key. Immutable.
 *
 * @param deletion of the whole partition; {@link DeletionTime#LIVE} if there is none
 * @param staticRow {@link Row#NO_STATICS} if there is none
 */
public record PartitionHeader(PartitionKey key, DeletionTime deletion, Row staticRow)
        implements Comparable<PartitionHeader> {

    /** A partition without deletion and static row. */
    public static PartitionHeader of(PartitionKey key) {
        return new PartitionHeader(key, DeletionTime.LIVE, Row.NO_STATICS);
    }

    @Override
    public int compareTo(PartitionHeader other) {
        return key.compareTo(other.key);
    }
}
