package io.sluice.sstable.compression;

import io.sluice.sstable.encoding.ComponentInput;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The checksums of the chunks of a plain Data.db, looked up in CRC.db through a window. Not thread-safe: confined to
 * its reader, who closes it.
 */
public final class ChecksumTable implements Closeable {
    private static final int WINDOW_BYTES = 1 << 12;
    private static final int MAX_CHUNK_LENGTH_BYTES = 1 << 26;

    private final ComponentInput crcs;
    private final int chunkLength;

    private ChecksumTable(ComponentInput crcs, int chunkLength) {
        this.crcs = crcs;
        this.chunkLength = chunkLength;
    }

    /**
     * Opens the table that belongs to a Data.db of {@code dataLengthBytes}.
     *
     * @throws io.sluice.sstable.component.SSTableException if it is malformed, or has not as many checksums as that
     *     needs
     */
    public static ChecksumTable open(Path crcFile, long dataLengthBytes) throws IOException {
        ComponentInput crcs = ComponentInput.open(crcFile, WINDOW_BYTES);
        try {
            int chunkLength = (int) crcs.require("chunk length", crcs.readInt(), 1, MAX_CHUNK_LENGTH_BYTES);
            long count = CompressionInfo.chunksOf(dataLengthBytes, chunkLength);
            if (crcs.remaining() != count * Integer.BYTES) {
                throw crcs.malformed(crcs.remaining() / Integer.BYTES + " checksums (expected: " + count + " for "
                        + dataLengthBytes + " bytes of Data.db)");
            }
            return new ChecksumTable(crcs, chunkLength);
        } catch (IOException | RuntimeException failed) {
            crcs.close();
            throw failed;
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
