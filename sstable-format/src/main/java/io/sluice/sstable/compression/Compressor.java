package io.sluice.sstable.compression;

import java.util.Optional;
import java.util.regex.Pattern;

/** The compression algorithms of tables, a closed set: class names from files are compared, never loaded. */
public enum Compressor {
    LZ4("LZ4Compressor"),
    SNAPPY("SnappyCompressor"),
    DEFLATE("DeflateCompressor"),
    ZSTD("ZstdCompressor"),
    NOOP("NoopCompressor");

    static final String LZ4_TYPE = "lz4_compressor_type";
    static final String LZ4_HIGH_LEVEL = "lz4_high_compressor_level";
    static final String ZSTD_LEVEL = "compression_level";

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,6}");

    private final String className;

    Compressor(String className) {
        this.className = className;
    }

    /** The name that CompressionInfo.db and table schemas use. */
    public String className() {
        return className;
    }

    /** Whether the compressor supports this option with this value; a file with another option cannot be read. */
    public boolean takes(String option, String value) {
        return switch (this) {
            case LZ4 ->
                option.equals(LZ4_TYPE)
                        ? value.equals("fast") || value.equals("high")
                        : option.equals(LZ4_HIGH_LEVEL) && isNumber(value, 1, 17);
            case ZSTD -> option.equals(ZSTD_LEVEL) && isNumber(value, -131_072, 22);
            case SNAPPY, DEFLATE, NOOP -> false;
        };
    }

    private static boolean isNumber(String text, int least, int greatest) {
        if (!NUMBER.matcher(text).matches()) {
            return false;
        }
        int number = Integer.parseInt(text);
        return number >= least && number <= greatest;
    }

    /**
     * Loads the native library of this compressor, if it has one; no work when it is loaded. LZ4 has a form in Java for
     * where its library cannot be loaded.
     *
     * @throws UnusableCodecException if it cannot be loaded
     */
    public void load() {
        switch (this) {
            case SNAPPY -> SnappyCodec.load();
            case ZSTD -> ZstdCodec.load();
            case LZ4, DEFLATE, NOOP -> {}
        }
    }

    /** The compressor of this class name, simple or with package, or empty if there is none. */
    public static Optional<Compressor> ofClassName(String name) {
        String simple = name.substring(name.lastIndexOf('.') + 1);
        for (Compressor compressor : values()) {
            if (compressor.className.equals(simple)) {
                return Optional.of(compressor);
            }
        }
        return Optional.empty();
    }
}
