package io.sluice.sstable.index;

import io.sluice.sstable.key.Murmur3;

/** Counts what is copied of an index, and hashes each key. Not thread-safe. */
public final class CountedPartitions implements CopiedPartitions {
    private long hashes;
    private long partitions;
    private long bytes;

    @Override
    public int hashInterval() {
        return 1;
    }

    @Override
    public void hashed(Murmur3 hash) {
        hashes++;
    }

    @Override
    public void copied(long lengthBytes) {
        partitions++;
        bytes += lengthBytes;
    }

    /** The number of hashed keys. */
    public long hashes() {
        return hashes;
    }

    /** The number of copied partitions. */
    public long partitions() {
        return partitions;
    }

    /** The length of all copied partitions. */
    public long bytes() {
        return bytes;
    }
}
