package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.ComponentInput;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The positions of the chunks of a compressed Data.db, read from CompressionInfo.db through a window. Not thread-safe:
 * confined to its reader, which closes it.
 */
public final class ChunkTable implements Closeable {
    private static final int WINDOW_BYTES = 1 << 12;
    private static final int CRC_BYTES = Integer.BYTES;

    private final ComponentInput in;
    private final CompressionInfo info;
    private final long firstPositionOffset;
    private final long listedChunks;
    private final long dataFileLength;

    private ChunkTable(ComponentInput in, CompressionInfo info, long dataFileLength) {
        this.in = in;
        this.info = info;
        this.firstPositionOffset = in.position();
        this.listedChunks = in.remaining() / Long.BYTES; // one more than the info's if the last is empty
        this.dataFileLength = dataFileLength;
    }

    /**
     * A chunk in Data.db.
     *
     * @param position of its stored bytes
     * @param storedLengthBytes without the CRC that follows
     * @param plainLengthBytes uncompressed
     * @param isCompressed whether the stored bytes are compressed; if not they may be longer than the plain ones
     */
    public record Chunk(long position, int storedLengthBytes, int plainLengthBytes, boolean isCompressed) {
        /** Position of the first byte after the chunk's CRC. */
        public long end() {
            return position + storedLengthBytes + CRC_BYTES;
        }
    }

    /** Opens the table that belongs to a Data.db of {@code dataFileLengthBytes}. */
    public static ChunkTable open(Path compressionInfo, long dataFileLengthBytes) throws IOException {
        ComponentInput in = ComponentInput.open(compressionInfo, WINDOW_BYTES);
        try {
            return new ChunkTable(in, CompressionInfo.read(in), dataFileLengthBytes);
        } catch (IOException | RuntimeException failed) {
            in.close();
            throw failed;
        }
    }

    public CompressionInfo info() {
        return info;
    }

    /**
     * The chunk number {@code index}, from 0.
     *
     * @throws SSTableException if it is not within Data.db
     */
    public Chunk chunk(long index) throws IOException {
        if (index < 0 || index >= info.chunkCount()) {
            throw new IndexOutOfBoundsException(
                    "chunk: " + index + " (expected: 0 to " + (info.chunkCount() - 1) + ")");
        }
        in.seek(firstPositionOffset + index * Long.BYTES);
        long position = in.require("position of chunk " + index, in.readLong(), 0, dataFileLength);
        boolean isLast = index + 1 == listedChunks;
        long next = isLast ? dataFileLength : in.readLong();
        in.require("end of chunk " + index, next, position + CRC_BYTES + 1, dataFileLength);
        long stored = next - position - CRC_BYTES;
        in.require("stored length of chunk " + index, stored, 1, CompressionParameters.MAX_STORED_LENGTH_BYTES);
        boolean isCompressed = stored < info.parameters().maxCompressedLengthBytes();
        int plain = info.plainLengthOf(index);
        if (!isCompressed) {
            in.require(
                    "stored length of chunk " + index,
                    stored,
                    plain,
                    info.parameters().chunkLengthBytes());
        }
        return new Chunk(position, (int) stored, plain, isCompressed);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
