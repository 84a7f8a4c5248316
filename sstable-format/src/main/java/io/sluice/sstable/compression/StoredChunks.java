package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32;

/**
 * The stored chunks of a compressed Data.db, each checked against its CRC. Not thread-safe: confined to its reader,
 * which closes it.
 */
public final class StoredChunks implements Closeable {
    private static final int CRC_BYTES = Integer.BYTES;

    private final PlainReader data;
    private final ChunkTable table;
    private final ByteBuffer crc = ByteBuffer.allocate(CRC_BYTES);
    private byte[] stored = new byte[0];

    private StoredChunks(PlainReader data, ChunkTable table) {
        this.data = data;
        this.table = table;
    }

    /** Opens a Data.db and its CompressionInfo.db. */
    public static StoredChunks open(Path dataFile, Path compressionInfo) throws IOException {
        PlainReader data = PlainReader.open(dataFile);
        try {
            return over(data, compressionInfo);
        } catch (IOException | RuntimeException failed) {
            data.close();
            throw failed;
        }
    }

    /** Takes over {@code data}, unless it fails. */
    static StoredChunks over(PlainReader data, Path compressionInfo) throws IOException {
        return new StoredChunks(data, ChunkTable.open(compressionInfo, data.lengthBytes()));
    }

    /** The compression parameters and the number of chunks. */
    public CompressionInfo info() {
        return table.info();
    }

    /**
     * The chunk number {@code index} with its CRC, in a buffer that is valid until the next call.
     *
     * @throws SSTableException if it is not within Data.db, or its checksum does not match
     */
    public ByteBuffer read(long index) throws IOException {
        ChunkTable.Chunk chunk = table.chunk(index);
        return ByteBuffer.wrap(load(chunk), 0, chunk.storedLengthBytes() + CRC_BYTES);
    }

    /**
     * The CRC-32 that is stored beside chunk number {@code index}; reads nothing else of it.
     *
     * @throws SSTableException if it is not within Data.db
     */
    public int recordedCrc(long index) throws IOException {
        ChunkTable.Chunk chunk = table.chunk(index);
        data.read(chunk.position() + chunk.storedLengthBytes(), crc.clear());
        return crc.getInt(0);
    }

    /** Bytes of chunk number {@code index} in Data.db, without its CRC. */
    public int lengthBytes(long index) throws IOException {
        return table.chunk(index).storedLengthBytes();
    }

    /** The position of chunk {@code index} in Data.db. */
    public long position(long index) throws IOException {
        return table.chunk(index).position();
    }

    ChunkTable.Chunk chunk(long index) throws IOException {
        return table.chunk(index);
    }

    /** Loads a chunk into an array that the next call may overwrite; bytes after the chunk are undefined. */
    byte[] load(ChunkTable.Chunk chunk) throws IOException {
        int length = chunk.storedLengthBytes();
        if (stored.length < length + CRC_BYTES) {
            stored = new byte[length + CRC_BYTES];
        }
        ByteBuffer buffer = ByteBuffer.wrap(stored, 0, length + CRC_BYTES);
        data.read(chunk.position(), buffer);
        var crc = new CRC32();
        crc.update(stored, 0, length);
        int actual = (int) crc.getValue();
        int expected = buffer.getInt(length);
        if (actual != expected) {
            throw SSTableException.at(
                    data.file(),
                    chunk.position(),
                    "CRC-32 of a chunk of " + length + " bytes: " + Integer.toHexString(actual) + " (expected: "
                            + Integer.toHexString(expected) + ")");
        }
        return stored;
    }

    @Override
    public void close() throws IOException {
        try (data) {
            table.close();
        }
    }
}
