package io.sluice.sstable.index;

import io.sluice.sstable.token.Token;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Iterates over the partitions of an SSTable in its index, in order of (token, key), with constant memory. Opened
 * before the first partition. Not thread-safe: confined to its reader, which closes it.
 */
public interface PartitionCursor extends Closeable {
    /**
     * The next partition, or empty after the last.
     *
     * @throws io.sluice.sstable.component.SSTableException if the index is malformed, out of order, or points out of
     *     the data
     */
    Optional<PartitionEntry> next() throws IOException;

    /** Goes before the first partition with a token greater than {@code token}. */
    void seekAfter(Token token) throws IOException;

    /**
     * Goes before the last partition, or before those that have its token; need not check those in between.
     *
     * @param last its token
     */
    void seekLast(Token last) throws IOException;

    @Override
    void close() throws IOException;
}
