package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * The chunks of a Data.db that is being received, in order, each checked against its CRC-32. Each can be loaded once,
 * in order. Not thread-safe: confined to its reader.
 */
public final class ArrivingChunks implements Chunks {
    private static final int CRC_BYTES = Integer.BYTES;

    private final Path name;
    private final Shape shape;
    private final Source source;
    private final Optional<ChunkCodec> codec;

    /**
     * How a Data.db is divided into chunks.
     *
     * @param compression empty if it is plain
     * @param chunkLengthBytes uncompressed bytes of each chunk but the last
     * @param dataLengthBytes of all of Data.db, uncompressed
     */
    public record Shape(Optional<CompressionParameters> compression, int chunkLengthBytes, long dataLengthBytes) {
        public Shape {
            if (chunkLengthBytes < 1 || dataLengthBytes < 1) {
                throw new IllegalArgumentException("chunks of " + chunkLengthBytes + " of " + dataLengthBytes
                        + " bytes (expected: at least 1 each)");
            }
        }
    }

    /** Supplies the received chunks. */
    public interface Source extends Closeable {
        /**
         * The stored bytes of chunk {@code index}, followed by its CRC-32, big-endian: from the start of an array,
         * valid until the next call. Called in ascending order, once for each chunk.
         */
        ByteBuffer next(long index) throws IOException;
    }

    private ArrivingChunks(Path name, Shape shape, Source source) {
        this.name = name;
        this.shape = shape;
        this.source = source;
        this.codec = shape.compression().map(ChunkCodec::of);
    }

    /** The content of these chunks, to be read from front to back; {@code name} is the file name in messages. */
    public static DataReader read(Path name, Shape shape, Source source) {
        return new ChunkReader(name, new ArrivingChunks(name, shape, source));
    }

    @Override
    public long lengthBytes() {
        return shape.dataLengthBytes();
    }

    @Override
    public int chunkLengthBytes() {
        return shape.chunkLengthBytes();
    }

    @Override
    public void load(long index, byte[] into, int at) throws IOException {
        ByteBuffer chunk = source.next(index);
        int stored = chunk.remaining() - CRC_BYTES;
        var crc = new CRC32();
        crc.update(chunk.array(), chunk.arrayOffset(), stored);
        int expected = chunk.getInt(stored);
        if ((int) crc.getValue() != expected) {
            throw bad(
                    index,
                    "CRC-32 of " + stored + " stored bytes: " + Integer.toHexString((int) crc.getValue())
                            + " (expected: " + Integer.toHexString(expected) + ")");
        }
        int plain = plainLengthOf(index);
        boolean isCompressed =
                codec.isPresent() && stored < shape.compression().orElseThrow().maxCompressedLengthBytes();
        if (isCompressed) {
            decompress(index, chunk, stored, into, at);
        } else if (stored < plain) {
            throw bad(index, stored + " stored bytes (expected: " + plain + ")");
        } else {
            chunk.get(into, at, plain);
        }
    }

    private void decompress(long index, ByteBuffer chunk, int stored, byte[] into, int at) throws SSTableException {
        try {
            if (chunk.arrayOffset() != 0) {
                throw new IllegalStateException("chunk at " + chunk.arrayOffset() + " of its array (expected: 0)");
            }
            codec.orElseThrow().decompress(chunk.array(), stored, into, at, plainLengthOf(index));
        } catch (SSTableException malformed) {
            throw bad(index, String.valueOf(malformed.getMessage()));
        }
    }

    private SSTableException bad(long index, String problem) {
        return new SSTableException(name + ", chunk " + index + " as received: " + problem);
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
