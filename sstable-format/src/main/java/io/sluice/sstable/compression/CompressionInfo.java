package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.ComponentInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The content of CompressionInfo.db, except the positions of the chunks (see {@link ChunkTable}). Immutable.
 *
 * @param parameters how chunks are compressed
 * @param dataLengthBytes uncompressed
 * @param chunkCount at least 1; without an empty chunk at the end, which the file may list
 */
public record CompressionInfo(CompressionParameters parameters, long dataLengthBytes, int chunkCount) {
    private static final int MAX_OPTIONS = 64;

    public CompressionInfo {
        if (dataLengthBytes <= 0 || chunkCount != chunksOf(dataLengthBytes, parameters.chunkLengthBytes())) {
            throw new IllegalArgumentException("number of chunks: " + chunkCount + " (expected: as many as "
                    + dataLengthBytes + " bytes fill, in chunks of " + parameters.chunkLengthBytes() + ")");
        }
    }

    /**
     * Reads a file without the positions of its chunks.
     *
     * @throws SSTableException if it is truncated, of an unknown compressor or contradicts itself
     */
    public static CompressionInfo read(Path file) throws IOException {
        try (ComponentInput in = ComponentInput.open(file)) {
            return read(in);
        }
    }

    /** Reads up to the position of the first chunk. */
    static CompressionInfo read(ComponentInput in) throws IOException {
        String className = in.readUtf();
        Compressor compressor = Compressor.ofClassName(className)
                .orElseThrow(() -> in.malformed("compressor: " + className + " (expected: a known one)"));
        int optionCount = (int) in.require("number of options", in.readInt(), 0, MAX_OPTIONS);
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 0; i < optionCount; i++) {
            options.put(in.readUtf(), in.readUtf());
        }
        int chunkLength = in.readInt();
        // Before 4.0 this number does not exist. Then the rest of the file is 4 bytes short of whole positions.
        boolean hasMaxCompressedLength = in.remaining() % Long.BYTES == 0;
        int maxCompressedLength = hasMaxCompressedLength ? in.readInt() : CompressionParameters.ALWAYS_COMPRESS;
        long dataLength = in.readLong();
        int listed = in.readIntCount("number of chunks", Long.BYTES);
        if (in.remaining() != (long) listed * Long.BYTES) {
            throw in.malformed(in.remaining() + " more bytes (expected: " + listed + " positions of 8)");
        }
        // Compaction may leave an empty chunk at the end (seen with 4.1), which readers ignore.
        boolean isLastEmpty = chunkLength > 0 && listed > 1 && listed == chunksOf(dataLength, chunkLength) + 1;
        int chunkCount = isLastEmpty ? listed - 1 : listed;
        try {
            var parameters = new CompressionParameters(compressor, options, chunkLength, maxCompressedLength);
            return new CompressionInfo(parameters, dataLength, chunkCount);
        } catch (IllegalArgumentException contradiction) {
            throw SSTableException.at(
                    in.file(), in.position(), String.valueOf(contradiction.getMessage()), contradiction);
        }
    }

    /** Uncompressed bytes of chunk {@code index}. */
    int plainLengthOf(long index) {
        long start = index * parameters.chunkLengthBytes();
        return (int) Math.min(parameters.chunkLengthBytes(), dataLengthBytes - start);
    }

    static long chunksOf(long dataLength, int chunkLength) {
        return dataLength / chunkLength + (dataLength % chunkLength == 0 ? 0 : 1);
    }
}
