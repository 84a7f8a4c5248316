package io.sluice.sstable.data;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Partitions in order of (token, key), each pulled row by row. Not thread-safe: confined to one reader, who closes it.
 */
public interface PartitionSource extends Closeable {
    /**
     * The next partition, or empty after the last. What was not read of the previous one is skipped; the previous one
     * must not be read any more.
     */
    Optional<Partition> next() throws IOException;

    @Override
    void close() throws IOException;
}
