package io.sluice.sstable.index;

import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;

/**
 * A partition and its position. Immutable.
 *
 * @param key of the partition
 * @param position of its first byte in uncompressed Data.db
 * @param lengthBytes uncompressed, its end byte included
 */
public record PartitionEntry(PartitionKey key, long position, long lengthBytes) {
    public Token token() {
        return key.token();
    }

    /** Position of the first byte after it. */
    public long end() {
        return position + lengthBytes;
    }
}
