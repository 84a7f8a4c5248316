package io.sluice.sstable.compression;

import java.io.Closeable;
import java.io.IOException;

/** A Data.db as a sequence of chunks of equal uncompressed length, the last one shorter. */
sealed interface Chunks extends Closeable permits CheckedChunks, CompressedChunks, ArrivingChunks {
    /** Uncompressed bytes of all chunks. */
    long lengthBytes();

    /** Uncompressed bytes of each chunk but the last. */
    int chunkLengthBytes();

    /** Uncompressed bytes of chunk number {@code index}. */
    default int plainLengthOf(long index) {
        return (int) Math.min(chunkLengthBytes(), lengthBytes() - index * chunkLengthBytes());
    }

    /**
     * Loads chunk number {@code index} into {@code into} from index {@code at} on, where there is room for it. If this
     * fails, the content of the array is undefined.
     */
    void load(long index, byte[] into, int at) throws IOException;

    @Override
    void close() throws IOException;
}
