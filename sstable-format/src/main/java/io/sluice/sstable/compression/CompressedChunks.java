package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.file.Path;

/** The chunks of a compressed Data.db, each checked against its CRC before it is decompressed. */
final class CompressedChunks implements Chunks {
    private final PlainReader data;
    private final StoredChunks chunks;
    private final ChunkCodec codec;

    private CompressedChunks(PlainReader data, StoredChunks chunks, ChunkCodec codec) {
        this.data = data;
        this.chunks = chunks;
        this.codec = codec;
    }

    static CompressedChunks open(PlainReader data, Path compressionInfo) throws IOException {
        StoredChunks chunks = StoredChunks.over(data, compressionInfo);
        return new CompressedChunks(data, chunks, ChunkCodec.of(chunks.info().parameters()));
    }

    @Override
    public long lengthBytes() {
        return chunks.info().dataLengthBytes();
    }

    @Override
    public int chunkLengthBytes() {
        return chunks.info().parameters().chunkLengthBytes();
    }

    @Override
    public void load(long index, byte[] into, int at) throws IOException {
        ChunkTable.Chunk chunk = chunks.chunk(index);
        byte[] stored = chunks.load(chunk);
        if (!chunk.isCompressed()) {
            System.arraycopy(stored, 0, into, at, chunk.plainLengthBytes());
            return;
        }
        try {
            codec.decompress(stored, chunk.storedLengthBytes(), into, at, chunk.plainLengthBytes());
        } catch (SSTableException malformed) {
            throw SSTableException.at(data.file(), chunk.position(), String.valueOf(malformed.getMessage()), malformed);
        }
    }

    @Override
    public void close() throws IOException {
        chunks.close();
    }
}
