package io.sluice.sstable.compression;

import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** The chunks of a plain Data.db, each checked against CRC.db. */
record CheckedChunks(PlainReader data, ChecksumTable checksums) implements Chunks {

    static CheckedChunks open(PlainReader data, Path crcFile) throws IOException {
        return new CheckedChunks(data, ChecksumTable.open(crcFile, data.lengthBytes()));
    }

    @Override
    public long lengthBytes() {
        return data.lengthBytes();
    }

    @Override
    public int chunkLengthBytes() {
        return checksums.chunkLengthBytes();
    }

    @Override
    public void load(long index, byte[] into, int at) throws IOException {
        long start = index * chunkLengthBytes();
        int length = plainLengthOf(index);
        data.read(start, ByteBuffer.wrap(into, at, length));
        var crc = new CRC32();
        crc.update(into, at, length);
        requireCrc(index, length, (int) crc.getValue());
    }

    /** Compares the CRC-32 of a chunk with CRC.db. */
    void requireCrc(long index, int length, int crc32) throws IOException {
        int expected = checksums.crc(index);
        if (crc32 != expected) {
            throw SSTableException.at(
                    data.file(),
                    index * chunkLengthBytes(),
                    "CRC-32 of " + length + " bytes: " + Integer.toHexString(crc32) + " (expected: "
                            + Integer.toHexString(expected) + " by CRC.db)");
        }
    }

    @Override
    public void close() throws IOException {
        try (data) {
            checksums.close();
        }
    }
}
