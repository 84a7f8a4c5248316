package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;

/**
 * Compresses and decompresses single chunks. Decompression checks all bounds: for any input it produces exactly the
 * expected length or an error. Thread-safe: stateless.
 */
sealed interface ChunkCodec permits Lz4Codec, SnappyCodec, DeflateCodec, ZstdCodec, NoopCodec {
    /** The maximum compressed length of {@code length} bytes. */
    int maxCompressedLengthBytes(int length);

    /**
     * Compresses the first {@code length} bytes of {@code plain} to the start of {@code into}, which has room for
     * {@link #maxCompressedLengthBytes}; returns the compressed length.
     */
    int compress(byte[] plain, int length, byte[] into);

    /**
     * Decompresses the first {@code length} bytes of {@code stored} into {@code into} from index {@code at} on, where
     * it has room for {@code plainLength}.
     *
     * @throws SSTableException without a place, if the bytes are not the compressed form of {@code plainLength} bytes
     */
    void decompress(byte[] stored, int length, byte[] into, int at, int plainLength) throws SSTableException;

    /**
     * The codec of a table's parameters.
     *
     * @throws UnusableCodecException if its native library cannot be loaded
     */
    static ChunkCodec of(CompressionParameters parameters) {
        parameters.compressor().load();
        return switch (parameters.compressor()) {
            case LZ4 -> Lz4Codec.of(parameters.options());
            case SNAPPY -> new SnappyCodec();
            case DEFLATE -> new DeflateCodec();
            case ZSTD -> ZstdCodec.of(parameters.options());
            case NOOP -> new NoopCodec();
        };
    }

    /** The error for a chunk with a wrong uncompressed length. */
    static SSTableException wrongLength(long actual, int expected) {
        return new SSTableException("uncompressed length of a chunk: " + actual + " (expected: " + expected + ")");
    }

    /** An option that is a number, or {@code otherwise} if it is absent. */
    static int levelOf(@org.jspecify.annotations.Nullable String option, int otherwise) {
        return option == null ? otherwise : Integer.parseInt(option);
    }
}
