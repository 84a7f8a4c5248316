package io.sluice.sstable.index;

import io.sluice.sstable.key.PartitionKey;

/**
 * One entry of Index.db. Immutable.
 *
 * @param key of the partition
 * @param position in uncompressed Data.db
 * @param indexPosition of this entry in Index.db
 * @param blocksPosition of its block index in Index.db
 * @param blocksLengthBytes of its block index, 0 if it has none
 */
public record IndexEntry(
        PartitionKey key, long position, long indexPosition, long blocksPosition, int blocksLengthBytes) {}
