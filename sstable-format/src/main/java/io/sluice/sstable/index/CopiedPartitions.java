package io.sluice.sstable.index;

import io.sluice.sstable.key.Murmur3;

/** Receives the partitions of an index that is copied, in order. */
public interface CopiedPartitions {
    /** Interval of the keys that {@link #hashed} receives: 1 for all, 0 for none. */
    int hashInterval();

    /** The hash of the key of a partition. */
    void hashed(Murmur3 hash);

    /** The length of a partition in uncompressed bytes; its entry is copied. */
    void copied(long lengthBytes);
}
