package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Map;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** A little-endian {@code i32} plain length, then one LZ4 block. */
record Lz4Codec(LZ4Compressor compressor, LZ4SafeDecompressor decompressor) implements ChunkCodec {
    private static final VarHandle LITTLE_ENDIAN_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int DEFAULT_HIGH_LEVEL = 9;

    static Lz4Codec of(Map<String, String> options) {
        LZ4Factory factory = LZ4Factory.fastestInstance();
        boolean isHigh = "high".equals(options.get(Compressor.LZ4_TYPE));
        int level = ChunkCodec.levelOf(options.get(Compressor.LZ4_HIGH_LEVEL), DEFAULT_HIGH_LEVEL);
        return new Lz4Codec(
                isHigh ? factory.highCompressor(level) : factory.fastCompressor(), factory.safeDecompressor());
    }

    @Override
    public int maxCompressedLengthBytes(int length) {
        return LENGTH_BYTES + compressor.maxCompressedLength(length);
    }

    @Override
    public int compress(byte[] plain, int length, byte[] into) {
        LITTLE_ENDIAN_INT.set(into, 0, length);
        return LENGTH_BYTES + compressor.compress(plain, 0, length, into, LENGTH_BYTES, into.length - LENGTH_BYTES);
    }

    @Override
    public void decompress(byte[] stored, int length, byte[] into, int at, int plainLength) throws SSTableException {
        int announced = length < LENGTH_BYTES ? -1 : (int) LITTLE_ENDIAN_INT.get(stored, 0);
        if (announced != plainLength) {
            throw ChunkCodec.wrongLength(announced, plainLength);
        }
        try {
            int actual = decompressor.decompress(stored, LENGTH_BYTES, length - LENGTH_BYTES, into, at, plainLength);
            if (actual != plainLength) {
                throw ChunkCodec.wrongLength(actual, plainLength);
            }
        } catch (LZ4Exception malformed) {
            throw new SSTableException("no LZ4 block (expected: one of " + plainLength + " plain bytes)", malformed);
        }
    }
}
