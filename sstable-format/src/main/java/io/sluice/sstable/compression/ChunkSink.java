package io.sluice.sstable.compression;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Turns full chunks into what Data.db stores, and keeps the file beside it that says how to read them. */
sealed interface ChunkSink extends Closeable permits ChecksumSink, CompressingSink {
    /** Uncompressed bytes of each chunk but the last. */
    int chunkLengthBytes();

    /** What is stored at {@code position} of Data.db for the first {@code length} bytes of {@code chunk}. */
    ByteBuffer store(byte[] chunk, int length, long position) throws IOException;

    /**
     * Takes note of a chunk that will stand at {@code position} of Data.db as another file stores it, CRC and all.
     *
     * @throws IllegalStateException if chunks have no such form
     */
    void place(long position) throws IOException;

    /** Completes the file beside Data.db. */
    void finish(long dataLength) throws IOException;

    /** The compression ratio for the statistics. */
    double ratio(long storedLength, long dataLength);

    @Override
    void close() throws IOException;
}
