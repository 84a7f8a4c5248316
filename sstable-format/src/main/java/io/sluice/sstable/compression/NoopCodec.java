package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;

/** Leaves bytes as they are. */
record NoopCodec() implements ChunkCodec {
    @Override
    public int maxCompressedLengthBytes(int length) {
        return length;
    }

    @Override
    public int compress(byte[] plain, int length, byte[] into) {
        System.arraycopy(plain, 0, into, 0, length);
        return length;
    }

    @Override
    public void decompress(byte[] stored, int length, byte[] into, int at, int plainLength) throws SSTableException {
        if (length != plainLength) {
            throw ChunkCodec.wrongLength(length, plainLength);
        }
        System.arraycopy(stored, 0, into, at, length);
    }
}
