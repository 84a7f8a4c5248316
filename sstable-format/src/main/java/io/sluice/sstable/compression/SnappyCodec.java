package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyError;

/** One raw Snappy block, which begins with its plain length. */
record SnappyCodec() implements ChunkCodec {
    /** Throws, if the library cannot be loaded. */
    static void load() {
        try {
            Snappy.maxCompressedLength(1);
        } catch (LinkageError | SnappyError failed) {
            throw new UnusableCodecException("snappy", failed);
        }
    }

    @Override
    public int maxCompressedLengthBytes(int length) {
        return Snappy.maxCompressedLength(length);
    }

    @Override
    public int compress(byte[] plain, int length, byte[] into) {
        try {
            return Snappy.compress(plain, 0, length, into, 0);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    @Override
    public void decompress(byte[] stored, int length, byte[] into, int at, int plainLength) throws SSTableException {
        try {
            // Check the length in the block first: the native code trusts it for its buffer.
            int announced = Snappy.uncompressedLength(stored, 0, length);
            if (announced != plainLength) {
                throw ChunkCodec.wrongLength(announced, plainLength);
            }
            int actual = Snappy.uncompress(stored, 0, length, into, at);
            if (actual != plainLength) {
                throw ChunkCodec.wrongLength(actual, plainLength);
            }
        } catch (SSTableException wrongLength) {
            throw wrongLength;
        } catch (IOException malformed) {
            throw new SSTableException("no Snappy block (expected: one of " + plainLength + " plain bytes)", malformed);
        }
    }
}
