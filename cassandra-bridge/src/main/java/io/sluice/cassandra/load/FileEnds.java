package io.sluice.cassandra.load;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.compression.StoredChunks;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.key.PartitionKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Whether Data.db and Index.db end where the SSTable's other components say: those of a copy that was cut off do not,
 * and a node accepts them. Reads the last chunk, and the end of the index. Stateless.
 */
final class FileEnds {
    private FileEnds() {}

    /**
     * Does not check the Data.db of an uncompressed SSTable without CRC.db, the Index.db of one that has its last key
     * neither in Statistics.db nor in a Summary.db, and Rows.db: nothing says where they end.
     *
     * @throws SSTableException if Data.db is shorter or longer, its last chunk is damaged, or Index.db is shorter
     */
    static void requireReached(SSTable sstable) throws IOException {
        requireData(sstable);
        // Of an SSTable without keys in Statistics.db the index was compared with its summary when it was opened.
        boolean hasKeys = sstable.statistics().stats().content().keys().isPresent();
        if (hasKeys && sstable.components().contains(Component.INDEX)) {
            requireIndex(sstable);
        }
    }

    private static void requireIndex(SSTable sstable) throws IOException {
        try (PartitionCursor partitions = sstable.fewPartitions()) {
            partitions.seekLast(sstable.lastToken());
            Optional<PartitionKey> last = Optional.empty();
            for (var next = partitions.next(); next.isPresent(); next = partitions.next()) {
                last = next.map(PartitionEntry::key);
            }
            if (!last.equals(Optional.of(sstable.lastKey()))) {
                throw new SSTableException(sstable.path(Component.INDEX) + ": "
                        + sstable.lengthBytes(Component.INDEX) + " bytes, which end with partition "
                        + last.map(PartitionKey::toString).orElse("none") + " (expected: " + sstable.lastKey()
                        + ", as Statistics.db has it; copy it again, and see ./sluice sstable verify)");
            }
        }
    }

    private static void requireData(SSTable sstable) throws IOException {
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
