package io.sluice.sstable.compression;

import java.io.Closeable;
import java.io.IOException;

/** A Data.db as a sequence of chunks of equal uncompressed length, the last one shorter. */
sealed interface Chunks extends Closeable permits CheckedChunks, CompressedChunks {
    /** Uncompressed bytes of all chunks. */
    long lengthBytes();

    /** Uncompressed bytes of each chunk but the last. */
    int chunkLengthBytes();

    /**
     * Chunk number {@code index}, checked, in an array that the next call overwrites; what lies behind it is undefined.
     */
    byte[] load(long index) throws IOException;

    @Override
    void close() throws IOException;
}
