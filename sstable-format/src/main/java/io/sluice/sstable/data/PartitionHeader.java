package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.Murmur3;
import io.sluice.sstable.token.Token;

/**
 * What stands before the rows of a partition. Immutable.
 *
 * @param key serialized
 * @param token where the key is on the ring
 * @param deletion of the whole partition; {@link DeletionTime#LIVE} if there is none
 * @param staticRow {@link Row#NO_STATICS} if there is none
 */
public record PartitionHeader(Bytes key, Token token, DeletionTime deletion, Row staticRow)
        implements Comparable<PartitionHeader> {

    public static PartitionHeader of(Bytes key, DeletionTime deletion, Row staticRow) {
        return new PartitionHeader(key, Murmur3.tokenOf(key.toArray()), deletion, staticRow);
    }

    /** A partition that is not deleted and has nothing static. */
    public static PartitionHeader of(Bytes key) {
        return of(key, DeletionTime.LIVE, Row.NO_STATICS);
    }

    /** By token, then by key: the order of partitions in every SSTable. */
    @Override
    public int compareTo(PartitionHeader other) {
        int byToken = token.compareTo(other.token);
        return byToken != 0 ? byToken : key.compareTo(other.key);
    }
}
