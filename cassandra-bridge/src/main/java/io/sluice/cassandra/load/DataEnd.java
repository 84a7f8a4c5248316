package io.sluice.cassandra.load;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.compression.StoredChunks;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Whether Data.db ends where the SSTable's other components say: a copy that was cut off does not, and a node accepts
 * it. Reads the last chunk alone. Stateless.
 */
final class DataEnd {
    private DataEnd() {}

    /**
     * Checks nothing of an uncompressed SSTable without CRC.db: nothing says where it ends.
     *
     * @throws SSTableException if Data.db is shorter or longer, or its last chunk is damaged
     */
    static void requireReached(SSTable sstable) throws IOException {
        try {
            readLastChunk(sstable);
        } catch (SSTableException e) {
            throw new SSTableException(
                    sstable.path(Component.DATA) + ": " + sstable.lengthBytes(Component.DATA)
                            + " bytes, the end of which is not what was written: " + e.getMessage()
                            + " (expected: an unchanged file; copy it again, and see ./sluice sstable verify)",
                    e);
        }
    }

    private static void readLastChunk(SSTable sstable) throws IOException {
        if (sstable.isCompressed()) { // not decompressed: this needs no codec
            try (StoredChunks chunks =
                    StoredChunks.open(sstable.path(Component.DATA), sstable.path(Component.COMPRESSION_INFO))) {
                chunks.read(chunks.info().chunkCount() - 1L);
            }
        } else if (sstable.components().contains(Component.CRC) && sstable.dataLengthBytes() > 0) {
            try (DataReader data = DataReader.checked(sstable.path(Component.DATA), sstable.path(Component.CRC))) {
                data.read(data.lengthBytes() - 1, ByteBuffer.allocate(1));
            }
        }
    }
}
