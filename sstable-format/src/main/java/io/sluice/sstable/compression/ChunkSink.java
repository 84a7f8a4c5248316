package io.sluice.sstable.compression;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Converts full chunks to their stored form, and writes CRC.db or CompressionInfo.db. */
sealed interface ChunkSink extends Closeable permits ChecksumSink, CompressingSink {
    /** Uncompressed bytes of each chunk but the last. */
    int chunkLengthBytes();

    /** The stored form, at {@code position} of Data.db, of the first {@code length} bytes of {@code chunk}. */
    ByteBuffer store(byte[] chunk, int length, long position) throws IOException;

    /**
     * Records a chunk that is copied to {@code position} of Data.db from another file, in its stored form with CRC.
     *
     * @throws IllegalStateException if Data.db is not compressed
     */
    void place(long position) throws IOException;

    /**
     * Records a chunk that is in another file, by its CRC-32.
     *
     * @throws IllegalStateException if Data.db is compressed
     */
    void link(int crc32) throws IOException;

    /** Completes the file beside Data.db. */
    void finish(long dataLength) throws IOException;

    /** The compression ratio for the statistics. */
    double ratio(long storedLength, long dataLength);

    @Override
    void close() throws IOException;
}
