package io.sluice.sstable.data;

import io.sluice.sstable.index.IndexFiles;
import java.io.IOException;

/**
 * Builds the block indexes of partitions in order, and appends the partitions to the index of their SSTable. Not
 * thread-safe: confined to its writer.
 */
sealed interface BlockIndex permits PromotedIndex, RowTrie {
    /** Begins a partition whose first item is {@code headerBytes} after its start. */
    void start(long headerBytes);

    /** Adds an item that ends {@code end} bytes after the start of the partition. */
    void add(Unfiltered item, long end) throws IOException;

    /** Ends the partition, which has {@code lengthBytes} including its end byte, and begins at {@code position}. */
    void finish(PartitionHeader partition, long position, long lengthBytes) throws IOException;

    /** The block index that belongs to {@code index}. */
    static BlockIndex of(IndexFiles index, SerializationHeader header, RowEncoder encoder) {
        if (index instanceof IndexFiles.Big big) {
            return new PromotedIndex(big, encoder.clusterings(), encoder.times());
        }
        if (index instanceof IndexFiles.Tries tries) {
            return new RowTrie(tries, new ComparableClustering(header.clusteringTypes()), encoder.times());
        }
        throw new AssertionError("no rule for " + index);
    }
}
