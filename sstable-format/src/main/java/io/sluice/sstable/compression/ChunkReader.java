package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Reads through chunks, and keeps the last one that was read in part. */
final class ChunkReader implements DataReader {
    private static final long NONE = -1;

    private final Path file;
    private final Chunks chunks;
    private byte[] loaded = new byte[0];
    private long loadedIndex = NONE;

    /** Takes over {@code chunks}; {@code file} names them in messages. */
    ChunkReader(Path file, Chunks chunks) {
        this.file = file;
        this.chunks = chunks;
    }

    /** Opens the chunks of an open file. */
    interface Opener {
        Chunks open(PlainReader data) throws IOException;
    }

    static ChunkReader over(Path file, Opener opener) throws IOException {
        PlainReader data = PlainReader.open(file);
        try {
            return new ChunkReader(file, opener.open(data));
        } catch (IOException | RuntimeException failed) {
            data.close();
            throw failed;
        }
    }

    @Override
    public Path file() {
        return file;
    }

    @Override
    public long lengthBytes() {
        return chunks.lengthBytes();
    }

    @Override
    public int pieceLengthBytes() {
        return chunks.chunkLengthBytes();
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
            int start = (int) (at % chunkLength);
            int plainLength = chunks.plainLengthOf(index);
            if (start == 0 && into.hasArray() && into.remaining() >= plainLength) { // read in place: no copy is kept
                chunks.load(index, into.array(), into.arrayOffset() + into.position());
                into.position(into.position() + plainLength);
                at += plainLength;
            } else {
                load(index, plainLength);
                int count = Math.min(into.remaining(), plainLength - start);
                into.put(loaded, start, count);
                at += count;
            }
        }
    }

    private void load(long index, int plainLength) throws IOException {
        if (index == loadedIndex) {
            return;
        }
        loadedIndex = NONE; // the array is invalid if the chunk fails
        if (loaded.length < plainLength) {
            loaded = new byte[plainLength];
        }
        chunks.load(index, loaded, 0);
        loadedIndex = index;
    }

    @Override
    public void close() throws IOException {
        chunks.close();
    }
}
