package io.sluice.sstable.schema;

import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.WriterOptions;
import java.util.LinkedHashMap;
import java.util.Map;

/** The table option {@code compression}. Stateless. */
final class CompressionOption {
    private static final int KIB = 1024;
    private static final int DEFAULT_CHUNK_KIB = 16;

    private CompressionOption() {}

    /** Returns {@code options} with the settings of {@code map} applied. */
    static WriterOptions apply(Map<String, String> map, WriterOptions options) {
        Map<String, String> rest = new LinkedHashMap<>(map);
        String enabled = rest.remove("enabled");
        String className = rest.remove("class");
        if ("false".equals(enabled) || className == null || className.isEmpty()) {
            return options.withoutCompression();
        }
        String chunkKib = rest.remove("chunk_length_in_kb");
        int kib = chunkKib == null ? DEFAULT_CHUNK_KIB : Integer.parseInt(chunkKib);
        if (kib < 1 || kib > CompressionParameters.MAX_CHUNK_LENGTH_BYTES / KIB) {
            throw new IllegalArgumentException("chunk_length_in_kb: " + kib + " (expected: a power of two up to "
                    + CompressionParameters.MAX_CHUNK_LENGTH_BYTES / KIB + ")");
        }
        int chunkLength = KIB * kib;
        String ratio = rest.remove("min_compress_ratio");
        int maxLength = ratio == null || Double.parseDouble(ratio) == 0
                ? CompressionParameters.ALWAYS_COMPRESS
                : (int) Math.ceil(chunkLength / Double.parseDouble(ratio));
        Compressor compressor = Compressor.ofClassName(className)
                .orElseThrow(() -> new IllegalArgumentException(className + " (expected: a known compressor)"));
        return options.withCompression(new CompressionParameters(compressor, rest, chunkLength, maxLength));
    }
}
