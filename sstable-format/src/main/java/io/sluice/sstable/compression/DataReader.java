package io.sluice.sstable.compression;

import io.sluice.sstable.encoding.ByteSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * The uncompressed content of one Data.db, readable at any position. Not thread-safe: confined to its reader, which
 * closes it.
 */
public sealed interface DataReader extends ByteSource, Closeable permits PlainReader, ChunkReader, WatchedReader {
    /** Data.db itself, for messages. */
    Path file();

    /** Length of the content in uncompressed bytes. */
    long lengthBytes();

    /** The length of the pieces in which the content is read and checked; the last one read is kept. */
    int pieceLengthBytes();

    /**
     * {@inheritDoc}
     *
     * @throws io.sluice.sstable.component.SSTableException if the content ends before, or a checksum does not match
     */
    @Override
    void read(long position, ByteBuffer into) throws IOException;

    @Override
    void close() throws IOException;

    /** Reads a plain file without checking it. */
    static DataReader plain(Path data) throws IOException {
        return PlainReader.open(data);
    }

    /** Reads a plain file, and checks each chunk that it reads against CRC.db. */
    static DataReader checked(Path data, Path crc) throws IOException {
        return ChunkReader.over(data, file -> CheckedChunks.open(file, crc));
    }

    /**
     * The same content, by a reader that takes over {@code reader}.
     *
     * @param reached receives the position behind each read, on the thread that reads; what it throws ends the read
     */
    static DataReader watched(DataReader reader, LongConsumer reached) {
        return new WatchedReader(reader, reached);
    }

    /** Reads a compressed file; the CRC of each chunk is checked before it is decompressed. */
    static DataReader compressed(Path data, Path compressionInfo) throws IOException {
        return ChunkReader.over(data, file -> CompressedChunks.open(file, compressionInfo));
    }
}
