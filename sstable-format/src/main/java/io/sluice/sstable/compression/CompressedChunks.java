package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** The chunks of a compressed Data.db, each checked against its CRC before it is decompressed. */
final class CompressedChunks implements Chunks {
    private static final int CRC_BYTES = Integer.BYTES;

    private final PlainReader data;
    private final ChunkTable table;
    private final ChunkCodec codec;
    private byte[] stored = new byte[0];

    private CompressedChunks(PlainReader data, ChunkTable table, ChunkCodec codec) {
        this.data = data;
        this.table = table;
        this.codec = codec;
    }

    static CompressedChunks open(PlainReader data, Path compressionInfo) throws IOException {
        ChunkTable table = ChunkTable.open(compressionInfo, data.lengthBytes());
        return new CompressedChunks(data, table, ChunkCodec.of(table.info().parameters()));
    }

    @Override
    public long lengthBytes() {
        return table.info().dataLengthBytes();
    }

    @Override
    public int chunkLengthBytes() {
        return table.info().parameters().chunkLengthBytes();
    }

    @Override
    public void load(long index, byte[] into, int at) throws IOException {
        ChunkTable.Chunk chunk = table.chunk(index);
        int length = chunk.storedLengthBytes();
        stored = atLeast(length + CRC_BYTES, stored);
        ByteBuffer buffer = ByteBuffer.wrap(stored, 0, length + CRC_BYTES);
        data.read(chunk.position(), buffer);
        checkCrc(chunk, buffer.getInt(length));
        if (!chunk.isCompressed()) {
            System.arraycopy(stored, 0, into, at, chunk.plainLengthBytes());
            return;
        }
        try {
            codec.decompress(stored, length, into, at, chunk.plainLengthBytes());
        } catch (SSTableException malformed) {
            throw SSTableException.at(data.file(), chunk.position(), String.valueOf(malformed.getMessage()), malformed);
        }
    }

    @Override
    public void close() throws IOException {
        table.close();
    }

    private void checkCrc(ChunkTable.Chunk chunk, int expected) throws SSTableException {
        var crc = new CRC32();
        crc.update(stored, 0, chunk.storedLengthBytes());
        if ((int) crc.getValue() != expected) {
            throw SSTableException.at(
                    data.file(),
                    chunk.position(),
                    "CRC-32 of a chunk of " + chunk.storedLengthBytes() + " bytes: "
                            + Integer.toHexString((int) crc.getValue()) + " (expected: " + Integer.toHexString(expected)
                            + ")");
        }
    }

    private static byte[] atLeast(int length, byte[] array) {
        return array.length >= length ? array : new byte[length];
    }
}
