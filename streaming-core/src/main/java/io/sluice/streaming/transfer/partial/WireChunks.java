package io.sluice.streaming.transfer.partial;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.compression.ChecksumTable;
import io.sluice.sstable.compression.ChunkTable;
import io.sluice.sstable.compression.DataReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The positions of the chunks of a Data.db, and the word that a batch has for each. Not thread-safe; closed by its
 * reader.
 */
sealed interface WireChunks extends Closeable {
    int PLAIN_CHUNK_BYTES = 1 << 16;

    int chunkLengthBytes();

    /** The position of chunk {@code index} in Data.db; for the number of chunks, the end of the last one. */
    long position(long index) throws IOException;

    /** The word of the chunk in a batch. */
    int word(long index) throws IOException;

    static WireChunks open(SSTable sstable) throws IOException {
        long length = sstable.lengthBytes(Component.DATA);
        if (sstable.isCompressed()) {
            return new Compressed(ChunkTable.open(sstable.path(Component.COMPRESSION_INFO), length));
        }
        return sstable.components().contains(Component.CRC)
                ? new Checked(ChecksumTable.open(sstable.path(Component.CRC), length), length)
                : new Unchecked(sstable.openData());
    }

    /** Compressed chunks, which have their own CRCs. */
    record Compressed(ChunkTable table) implements WireChunks {
        @Override
        public int chunkLengthBytes() {
            return table.info().parameters().chunkLengthBytes();
        }

        @Override
        public long position(long index) throws IOException {
            // Compaction ends some files with a chunk of nothing, which is not counted: the data ends before it.
            return index > 0 && index == table.info().chunkCount()
                    ? table.chunk(index - 1).end()
                    : table.chunk(index).position();
        }

        @Override
        public int word(long index) throws IOException {
            return table.chunk(index).storedLengthBytes() + Integer.BYTES;
        }

        @Override
        public void close() throws IOException {
            table.close();
        }
    }

    /** Plain bytes with CRC.db. */
    record Checked(ChecksumTable table, long dataLength) implements WireChunks {
        @Override
        public int chunkLengthBytes() {
            return table.chunkLengthBytes();
        }

        @Override
        public long position(long index) {
            return Math.min(dataLength, index * chunkLengthBytes());
        }

        @Override
        public int word(long index) throws IOException {
            return table.crc(index);
        }

        @Override
        public void close() throws IOException {
            table.close();
        }
    }

    /** Plain bytes without checksums, which are computed now. */
    record Unchecked(DataReader data) implements WireChunks {
        @Override
        public int chunkLengthBytes() {
            return PLAIN_CHUNK_BYTES;
        }

        @Override
        public long position(long index) {
            return Math.min(data.lengthBytes(), index * PLAIN_CHUNK_BYTES);
        }

        @Override
        public int word(long index) throws IOException {
            ByteBuffer chunk = ByteBuffer.allocate((int) (position(index + 1) - position(index)));
            data.read(position(index), chunk);
            var crc = new CRC32();
            crc.update(chunk.flip());
            return (int) crc.getValue();
        }

        @Override
        public void close() throws IOException {
            data.close();
        }
    }
}
