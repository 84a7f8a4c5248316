package io.sluice.cassandra.wire;

import io.sluice.sstable.compression.ChunkTable.Chunk;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;

/**
 * The compression of a slice, and the chunks that follow: for each, its position in the sender's Data.db and its length
 * without CRC. Stored as primitive arrays, for there may be millions. Immutable once built.
 */
public final class PartCompression {
    /** With chunks of 16 KiB: half a terabyte. */
    static final int MAX_CHUNKS = 1 << 25;

    private final CompressionParameters parameters;
    private final LongBuffer offsets;
    private final IntBuffer lengths;

    private PartCompression(CompressionParameters parameters, LongBuffer offsets, IntBuffer lengths) {
        this.parameters = parameters;
        this.offsets = offsets;
        this.lengths = lengths;
    }

    public CompressionParameters parameters() {
        return parameters;
    }

    public int chunkCount() {
        return lengths.limit();
    }

    /** Position of chunk {@code index} in the sender's file. */
    public long offset(int index) {
        return offsets.get(index);
    }

    /** Stored bytes of chunk {@code index}, without its CRC. */
    public int lengthBytes(int index) {
        return lengths.get(index);
    }

    /** Bytes of all chunks, with their CRCs. */
    public long storedBytes() {
        long total = 0;
        for (int i = 0; i < chunkCount(); i++) {
            total += lengthBytes(i) + (long) Integer.BYTES;
        }
        return total;
    }

    /** Collects chunks. Not thread-safe: confined to one call. */
    public static final class Builder {
        private final GrowingBuffer offsets = new GrowingBuffer();
        private final GrowingBuffer lengths = new GrowingBuffer();

        /** Adds {@code chunk}. */
        public void add(Chunk chunk) {
            add(chunk.position(), chunk.storedLengthBytes());
        }

        void add(long offset, int lengthBytes) {
            offsets.putLong(offset);
            lengths.putInt(lengthBytes);
        }

        /** Builds from all chunks added, compressed with {@code parameters}. */
        public PartCompression build(CompressionParameters parameters) {
            return new PartCompression(
                    parameters,
                    offsets.written().asReadOnlyBuffer().asLongBuffer(),
                    lengths.written().asReadOnlyBuffer().asIntBuffer());
        }
    }
}
