package io.sluice.sstable.compression;

import io.sluice.sstable.encoding.ComponentInput;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The checksums of the chunks of a plain Data.db, read from CRC.db through a window. Not thread-safe: confined to its
 * reader, which closes it.
 */
public final class ChecksumTable implements Closeable {
    private static final int WINDOW_BYTES = 1 << 12;
    private static final int MAX_CHUNK_LENGTH_BYTES = 1 << 26;

    /**
     * Compaction of Cassandra 5.0 adds the checksum of an empty last buffer; no writer is known to add more than one.
     */
    private static final int MAX_EMPTY_CHUNKS = 1;

    private static final int CRC_OF_NOTHING = 0;

    private final ComponentInput crcs;
    private final int chunkLength;

    private ChecksumTable(ComponentInput crcs, int chunkLength) {
        this.crcs = crcs;
        this.chunkLength = chunkLength;
    }

    /**
     * Opens the table that belongs to a Data.db of {@code dataLengthBytes}. A checksum of zero may follow that of the
     * last chunk, from a writer that flushed an empty buffer.
     *
     * @throws io.sluice.sstable.component.SSTableException if it is malformed, or has a wrong number of checksums
     */
    public static ChecksumTable open(Path crcFile, long dataLengthBytes) throws IOException {
        ComponentInput crcs = ComponentInput.open(crcFile, WINDOW_BYTES);
        try {
            int chunkLength = (int) crcs.require("chunk length", crcs.readInt(), 1, MAX_CHUNK_LENGTH_BYTES);
            requireCount(crcs, CompressionInfo.chunksOf(dataLengthBytes, chunkLength), dataLengthBytes);
            return new ChecksumTable(crcs, chunkLength);
        } catch (IOException | RuntimeException failed) {
            crcs.close();
            throw failed;
        }
    }

    private static void requireCount(ComponentInput crcs, long chunks, long dataLengthBytes) throws IOException {
        long found = crcs.remaining() / Integer.BYTES;
        boolean isWhole = crcs.remaining() % Integer.BYTES == 0;
        if (!isWhole || found < chunks || found > chunks + MAX_EMPTY_CHUNKS) {
            throw crcs.malformed(crcs.remaining() + " bytes of checksums (expected: " + chunks * Integer.BYTES + ", "
                    + chunks + " checksums for " + dataLengthBytes + " bytes of Data.db)");
        }
        crcs.seek(Integer.BYTES + chunks * Integer.BYTES);
        for (long index = chunks; index < found; index++) {
            int crc = crcs.readInt();
            if (crc != CRC_OF_NOTHING) {
                throw crcs.malformed("checksum " + index + " is " + Integer.toHexString(crc) + " (expected: 0, as "
                        + dataLengthBytes + " bytes of Data.db have " + chunks + " chunks)");
            }
        }
    }

    /** Bytes of each chunk but the last. */
    public int chunkLengthBytes() {
        return chunkLength;
    }

    /** The CRC-32 of the chunk number {@code index}, from 0. */
    public int crc(long index) throws IOException {
        crcs.seek(Integer.BYTES + index * Integer.BYTES);
        return crcs.readInt();
    }

    @Override
    public void close() throws IOException {
        crcs.close();
    }
}
