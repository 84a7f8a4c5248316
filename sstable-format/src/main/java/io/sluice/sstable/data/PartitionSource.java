package io.sluice.sstable.data;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Partitions in order of (token, key), each read row by row. Not thread-safe: confined to one reader, which closes it.
 */
public interface PartitionSource extends Closeable {
    /**
     * The next partition, or empty after the last. Skips the rest of the previous partition, which must not be read any
     * more.
     */
    Optional<Partition> next() throws IOException;

    @Override
    void close() throws IOException;
}
