package io.sluice.sstable.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.sluice.sstable.component.SSTableException;
import java.util.Map;

/** One Zstandard frame with a checksum of its content. */
record ZstdCodec(int level) implements ChunkCodec {
    private static final int DEFAULT_LEVEL = 3;

    static ZstdCodec of(Map<String, String> options) {
        return new ZstdCodec(ChunkCodec.levelOf(options.get(Compressor.ZSTD_LEVEL), DEFAULT_LEVEL));
    }

    /** Throws, if the library cannot be loaded. */
    static void load() {
        try {
            Zstd.compressBound(1);
        } catch (LinkageError failed) {
            throw new UnusableCodecException("zstd", failed);
        }
    }

    @Override
    public int maxCompressedLengthBytes(int length) {
        return (int) Zstd.compressBound(length);
    }

    @Override
    public int compress(byte[] plain, int length, byte[] into) {
        return (int) Zstd.compressByteArray(into, 0, into.length, plain, 0, length, level, true);
    }

    @Override
    public void decompress(byte[] stored, int length, byte[] into, int at, int plainLength) throws SSTableException {
        long actual;
        try {
            actual = Zstd.decompressByteArray(into, at, plainLength, stored, 0, length);
        } catch (ZstdException malformed) {
            throw new SSTableException(
                    "no Zstandard frame (expected: one of " + plainLength + " plain bytes)", malformed);
        }
        if (actual != plainLength) {
            throw ChunkCodec.wrongLength(actual, plainLength);
        }
    }
}
