package io.sluice.sstable.compression;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How the Data.db of a table is compressed. Immutable.
 *
 * @param compressor the algorithm
 * @param options of the algorithm, in the order of the file
 * @param chunkLengthBytes uncompressed bytes of each chunk but the last: a power of two, at most 64 MiB
 * @param maxCompressedLengthBytes chunks whose compressed form is not shorter are stored plain: at most the chunk
 *     length, or {@link #ALWAYS_COMPRESS}
 */
public record CompressionParameters(
        Compressor compressor, Map<String, String> options, int chunkLengthBytes, int maxCompressedLengthBytes) {

    public static final int ALWAYS_COMPRESS = Integer.MAX_VALUE;
    public static final int MAX_CHUNK_LENGTH_BYTES = 1 << 26;
    /** The maximum stored length: compression may expand incompressible chunks, but not beyond it. */
    public static final int MAX_STORED_LENGTH_BYTES = MAX_CHUNK_LENGTH_BYTES + (MAX_CHUNK_LENGTH_BYTES >> 2);

    public static final int DEFAULT_CHUNK_LENGTH_BYTES = 1 << 14;

    public CompressionParameters {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
        options.forEach((option, value) -> {
            if (!compressor.takes(option, value)) {
                throw new IllegalArgumentException("option of " + compressor.className() + ": " + option + " = " + value
                        + " (expected: a known one, and a value in its range)");
            }
        });
        if (Integer.bitCount(chunkLengthBytes) != 1
                || chunkLengthBytes < 0
                || chunkLengthBytes > MAX_CHUNK_LENGTH_BYTES) {
            throw new IllegalArgumentException("chunk length: " + chunkLengthBytes + " (expected: a power of two up to "
                    + MAX_CHUNK_LENGTH_BYTES + ")");
        }
        if (maxCompressedLengthBytes != ALWAYS_COMPRESS
                && (maxCompressedLengthBytes <= 0 || maxCompressedLengthBytes > chunkLengthBytes)) {
            throw new IllegalArgumentException("max compressed length: " + maxCompressedLengthBytes
                    + " (expected: 1 to " + chunkLengthBytes + ", or " + ALWAYS_COMPRESS + ")");
        }
    }

    /** LZ4 in chunks of 16 KiB: the default of tables. */
    public static CompressionParameters lz4() {
        return of(Compressor.LZ4, DEFAULT_CHUNK_LENGTH_BYTES);
    }

    /** A compressor without options whose chunks are always compressed. */
    public static CompressionParameters of(Compressor compressor, int chunkLengthBytes) {
        return new CompressionParameters(compressor, Map.of(), chunkLengthBytes, ALWAYS_COMPRESS);
    }
}
