package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** One zlib stream. */
record DeflateCodec() implements ChunkCodec {
    @Override
    public int maxCompressedLengthBytes(int length) {
        return length + (length >> 12) + (length >> 14) + (length >> 25) + 64; // zlib's bound for default settings
    }

    @Override
    public int compress(byte[] plain, int length, byte[] into) {
        Deflater deflater = new Deflater();
        try {
            deflater.setInput(plain, 0, length);
            deflater.finish();
            int compressed = deflater.deflate(into);
            if (!deflater.finished()) {
                throw new AssertionError("zlib exceeds its bound for " + length + " bytes");
            }
            return compressed;
        } finally {
            deflater.end();
        }
    }

    @Override
    public void decompress(byte[] stored, int length, byte[] into, int at, int plainLength) throws SSTableException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(stored, 0, length);
            int actual = inflater.inflate(into, at, plainLength);
            // A full buffer is not yet the end: the stream may have more output.
            if (actual == plainLength && !inflater.finished()) {
                actual += inflater.inflate(new byte[1]);
            }
            if (actual != plainLength || !inflater.finished()) {
                throw ChunkCodec.wrongLength(actual, plainLength);
            }
        } catch (DataFormatException malformed) {
            throw new SSTableException("no zlib stream (expected: one of " + plainLength + " plain bytes)", malformed);
        } finally {
            inflater.end();
        }
    }
}
