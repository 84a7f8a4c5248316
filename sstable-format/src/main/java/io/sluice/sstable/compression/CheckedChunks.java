package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.ComponentInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** The chunks of a plain Data.db, each checked against CRC.db. */
final class CheckedChunks implements Chunks {
    private static final int WINDOW_BYTES = 1 << 12;
    private static final int MAX_CHUNK_LENGTH_BYTES = 1 << 26;

    private final PlainReader data;
    private final ComponentInput crcs;
    private final int chunkLength;

    private CheckedChunks(PlainReader data, ComponentInput crcs, int chunkLength) {
        this.data = data;
        this.crcs = crcs;
        this.chunkLength = chunkLength;
    }

    static CheckedChunks open(PlainReader data, Path crcFile) throws IOException {
        ComponentInput crcs = ComponentInput.open(crcFile, WINDOW_BYTES);
        try {
            int chunkLength = (int) crcs.require("chunk length", crcs.readInt(), 1, MAX_CHUNK_LENGTH_BYTES);
            long count = CompressionInfo.chunksOf(data.lengthBytes(), chunkLength);
            if (crcs.remaining() != count * Integer.BYTES) {
                throw crcs.malformed(crcs.remaining() / Integer.BYTES + " checksums (expected: " + count + " for "
                        + data.lengthBytes() + " bytes of Data.db)");
            }
            return new CheckedChunks(data, crcs, chunkLength);
        } catch (IOException | RuntimeException failed) {
            crcs.close();
            throw failed;
        }
    }

    @Override
    public long lengthBytes() {
        return data.lengthBytes();
    }

    @Override
    public int chunkLengthBytes() {
        return chunkLength;
    }

    @Override
    public void load(long index, byte[] into, int at) throws IOException {
        long start = index * chunkLength;
        int length = plainLengthOf(index);
        data.read(start, ByteBuffer.wrap(into, at, length));
        crcs.seek(Integer.BYTES + index * Integer.BYTES);
        int expected = crcs.readInt();
        var crc = new CRC32();
        crc.update(into, at, length);
        if ((int) crc.getValue() != expected) {
            throw SSTableException.at(
                    data.file(),
                    start,
                    "CRC-32 of " + length + " bytes: " + Integer.toHexString((int) crc.getValue()) + " (expected: "
                            + Integer.toHexString(expected) + " by CRC.db)");
        }
    }

    @Override
    public void close() throws IOException {
        crcs.close();
    }
}
