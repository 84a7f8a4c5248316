package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Reads through chunks and keeps the one that was read last. */
final class ChunkReader implements DataReader {
    private static final long NONE = -1;

    private final PlainReader data;
    private final Chunks chunks;
    private byte[] loaded = new byte[0];
    private long loadedIndex = NONE;

    private ChunkReader(PlainReader data, Chunks chunks) {
        this.data = data;
        this.chunks = chunks;
    }

    /** How chunks are found in an open file. */
    interface Opener {
        Chunks open(PlainReader data) throws IOException;
    }

    static ChunkReader over(Path file, Opener opener) throws IOException {
        PlainReader data = PlainReader.open(file);
        try {
            return new ChunkReader(data, opener.open(data));
        } catch (IOException | RuntimeException failed) {
            data.close();
            throw failed;
        }
    }

    @Override
    public Path file() {
        return data.file();
    }

    @Override
    public long lengthBytes() {
        return chunks.lengthBytes();
    }

    @Override
    public void read(long position, ByteBuffer into) throws IOException {
        if (position < 0 || into.remaining() > lengthBytes() - position) {
            throw new SSTableException(file() + " at uncompressed position " + position + ": end of data (expected: "
                    + into.remaining() + " more bytes before " + lengthBytes() + ")");
        }
        int chunkLength = chunks.chunkLengthBytes();
        for (long at = position; into.hasRemaining(); ) {
            long index = at / chunkLength;
            if (index != loadedIndex) {
                loadedIndex = NONE; // a chunk that fails leaves its bytes in the array
                loaded = chunks.load(index);
                loadedIndex = index;
            }
            int start = (int) (at % chunkLength);
            int count = Math.min(into.remaining(), chunkLength - start);
            into.put(loaded, start, count);
            at += count;
        }
    }

    @Override
    public void close() throws IOException {
        try (data) {
            chunks.close();
        }
    }
}
