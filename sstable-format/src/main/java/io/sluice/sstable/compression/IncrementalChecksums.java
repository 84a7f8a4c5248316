package io.sluice.sstable.compression;

import io.sluice.sstable.component.Crc32Combination;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Checksum;

/**
 * The CRC-32 of a Data.db whose bytes pass from front to back on their way to a disk, and that of each 64 KiB of it,
 * which are the pieces that CRC.db is usually made of. So what has arrived is not read again. Takes 4 bytes of memory
 * for each piece. Not thread-safe: confined to whoever moves the bytes.
 */
public final class IncrementalChecksums implements Checksum {
    private static final int PIECE_BYTES = 1 << 16;
    private static final int FIRST_PIECES = 1 << 8;

    /** 256 GiB: what is longer is read again, piece by piece. */
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

    /** The CRC-32 of all bytes that have passed, 0 to 2^32 - 1. */
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

    /** How many bytes have passed. */
    public long lengthBytes() {
        return fullPieces * PIECE_BYTES + inPiece;
    }

    /**
     * Whether each piece is as CRC.db says. False, too, where pieces of another length are summed there, or more than
     * are kept here: then only reading shows.
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
