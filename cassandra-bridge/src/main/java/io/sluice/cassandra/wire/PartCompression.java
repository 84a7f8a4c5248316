package io.sluice.cassandra.wire;

import io.sluice.sstable.compression.ChunkTable.Chunk;
import io.sluice.sstable.compression.CompressionParameters;
import java.util.ArrayList;
import java.util.List;

/**
 * The compression of a slice, and the chunks that follow: for each, its position in the sender's Data.db and its length
 * without CRC. There may be millions: lengths are stored in blocks, which grow without a copy, and positions only where
 * a chunk does not follow the previous one. Immutable once built.
 */
public final class PartCompression {
    /** With chunks of 16 KiB: half a terabyte. */
    static final int MAX_CHUNKS = 1 << 25;

    private static final int BLOCK_CHUNKS = 1 << 12;
    private static final int BLOCK_BYTES = BLOCK_CHUNKS * Integer.BYTES;
    /** Upper estimate for a run in a list that grows. */
    private static final int RUN_BYTES = 48;

    private final CompressionParameters parameters;
    private final List<int[]> lengths;
    private final int chunkCount;
    private final List<Run> runs;

    /** Chunks that are stored consecutively in the sender's file: the first of them, and its position. */
    private record Run(int firstChunk, long offset) {}

    /** Receives chunks in ascending order. */
    @FunctionalInterface
    interface ChunkConsumer {
        /**
         * A chunk.
         *
         * @param offset of its first byte in the sender's file
         * @param lengthBytes as stored, without its CRC
         */
        void accept(long offset, int lengthBytes);
    }

    private PartCompression(CompressionParameters parameters, Builder chunks) {
        this.parameters = parameters;
        this.lengths = List.copyOf(chunks.lengths);
        this.chunkCount = chunks.chunkCount;
        this.runs = List.copyOf(chunks.runs);
    }

    public CompressionParameters parameters() {
        return parameters;
    }

    public int chunkCount() {
        return chunkCount;
    }

    /** Stored bytes of chunk {@code index}, without its CRC. */
    public int lengthBytes(int index) {
        return lengths.get(index / BLOCK_CHUNKS)[index % BLOCK_CHUNKS];
    }

    void forEach(ChunkConsumer consumer) {
        for (int i = 0; i < runs.size(); i++) {
            int end = i + 1 < runs.size() ? runs.get(i + 1).firstChunk() : chunkCount;
            long offset = runs.get(i).offset();
            for (int chunk = runs.get(i).firstChunk(); chunk < end; chunk++) {
                consumer.accept(offset, lengthBytes(chunk));
                offset = endOf(offset, lengthBytes(chunk));
            }
        }
    }

    /** Bytes of all chunks, with their CRCs. */
    public long storedBytes() {
        long total = 0;
        for (int i = 0; i < chunkCount; i++) {
            total = endOf(total, lengthBytes(i));
        }
        return total;
    }

    private static long endOf(long offset, int lengthBytes) {
        return offset + lengthBytes + Integer.BYTES;
    }

    /** Collects chunks. Not thread-safe: confined to one call. */
    public static final class Builder {
        private final List<int[]> lengths = new ArrayList<>();
        private final List<Run> runs = new ArrayList<>();
        private int chunkCount;
        private long end;

        /** Adds {@code chunk}. */
        public void add(Chunk chunk) {
            add(chunk.position(), chunk.storedLengthBytes());
        }

        void add(long offset, int lengthBytes) {
            if (runs.isEmpty() || offset != end) {
                runs.add(new Run(chunkCount, offset));
            }
            if (chunkCount % BLOCK_CHUNKS == 0) {
                lengths.add(new int[BLOCK_CHUNKS]);
            }
            lengths.get(chunkCount / BLOCK_CHUNKS)[chunkCount % BLOCK_CHUNKS] = lengthBytes;
            chunkCount++;
            end = endOf(offset, lengthBytes);
        }

        /** Upper estimate of the memory of all chunks added. */
        long heapBytes() {
            return (long) lengths.size() * BLOCK_BYTES + (long) runs.size() * RUN_BYTES;
        }

        /** Builds from all chunks added, compressed with {@code parameters}; no chunk can be added any more. */
        public PartCompression build(CompressionParameters parameters) {
            return new PartCompression(parameters, this);
        }
    }
}
