package io.sluice.sstable.compression;

import io.sluice.sstable.component.Crc32Combination;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Checksum;

/**
 * Computes the CRC-32 of a Data.db and of each 64 KiB of it, the usual pieces of CRC.db, while it is written
 * sequentially, so that a received file need not be read again. Uses 4 bytes of memory for each piece. Not thread-safe:
 * confined to the writer.
 */
public final class IncrementalChecksums implements Checksum {
    private static final int PIECE_BYTES = 1 << 16;
    private static final int FIRST_PIECES = 1 << 8;

    /** 256 GiB: a longer file is read again, piece by piece. */
    private static final int MOST_PIECES = 1 << 22;

    private final CRC32 piece = new CRC32();
    private int[] pieces = new int[FIRST_PIECES];
    private long fullPieces;
    private long sumOfFullPieces;
    private int inPiece;

    @Override
    public void update(int oneByte) {
        piece.update(oneByte);
        passed(1);
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        update(ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public void update(ByteBuffer bytes) {
        int end = bytes.limit();
        while (bytes.position() < end) {
            int count = Math.min(PIECE_BYTES - inPiece, end - bytes.position());
            piece.update(bytes.limit(bytes.position() + count));
            passed(count);
        }
        bytes.limit(end);
    }

    private void passed(int count) {
        inPiece += count;
        if (inPiece < PIECE_BYTES) {
            return;
        }
        sumOfFullPieces = getValue();
        keep();
        fullPieces++;
        inPiece = 0;
        piece.reset();
    }

    private void keep() {
        if (fullPieces >= MOST_PIECES) {
            return;
        }
        if (fullPieces == pieces.length) {
            pieces = Arrays.copyOf(pieces, 2 * pieces.length);
        }
        pieces[(int) fullPieces] = (int) piece.getValue();
    }

    /** The CRC-32 of all bytes so far, 0 to 2^32 - 1. */
    @Override
    public long getValue() {
        return Crc32Combination.combine(sumOfFullPieces, piece.getValue(), inPiece);
    }

    @Override
    public void reset() {
        piece.reset();
        fullPieces = 0;
        sumOfFullPieces = 0;
        inPiece = 0;
    }

    /** The number of bytes so far. */
    public long lengthBytes() {
        return fullPieces * PIECE_BYTES + inPiece;
    }

    /**
     * Whether each piece matches CRC.db. Also false if CRC.db has pieces of another length, or the file has too many
     * pieces: then it must be read.
     *
     * @throws io.sluice.sstable.component.SSTableException if CRC.db is malformed, or not of a Data.db of this length
     */
    public boolean agreeWith(Path crcFile) throws IOException {
        try (ChecksumTable expected = ChecksumTable.open(crcFile, lengthBytes())) {
            if (expected.chunkLengthBytes() != PIECE_BYTES || fullPieces > MOST_PIECES) {
                return false;
            }
            for (int i = 0; i < fullPieces; i++) {
                if (expected.crc(i) != pieces[i]) {
                    return false;
                }
            }
            return inPiece == 0 || expected.crc(fullPieces) == (int) piece.getValue();
        }
    }
}
