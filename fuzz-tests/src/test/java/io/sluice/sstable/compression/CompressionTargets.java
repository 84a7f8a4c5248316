package io.sluice.sstable.compression;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;

/** CompressionInfo.db, CRC.db, and what each codec decompresses. Stateless. */
public final class CompressionTargets {
    private static final int MOST_CHUNKS = 16;
    private static final long DATA_LENGTH = 1 << 20;
    private static final int PLAIN_LENGTH = 1 << 12;
    private static final byte[] ROOM = new byte[PLAIN_LENGTH + 2];

    static {
        Arrays.fill(ROOM, (byte) 0x5a);
    }

    private CompressionTargets() {}

    /** The file, beside a Data.db of 1 MiB. */
    public static void info(byte[] input) throws IOException {
        try (ChunkTable table = ChunkTable.open(MemoryFiles.file("CompressionInfo.db", input), DATA_LENGTH)) {
            for (int i = 0; i < Math.min(MOST_CHUNKS, table.info().chunkCount()); i++) {
                table.chunk(i);
            }
            table.chunk(table.info().chunkCount() - 1L);
        }
    }

    /** The length of Data.db, then the file. */
    public static void checksums(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        long dataLength = (long) pieces.number() << pieces.number() % 40;
        try (ChecksumTable table = ChecksumTable.open(MemoryFiles.file("CRC.db", pieces.rest()), dataLength)) {
            long chunks = CompressionInfo.chunksOf(dataLength, table.chunkLengthBytes());
            for (long i = 0; i < Math.min(MOST_CHUNKS, chunks); i++) {
                table.crc(i);
            }
        }
    }

    /** How many plain bytes there are, then the compressed ones, of which the first decide what is written where. */
    public static void lz4(byte[] input) throws SSTableException {
        decompress(Lz4Codec.of(Map.of()), input);
    }

    /** As {@link #lz4}. */
    public static void snappy(byte[] input) throws SSTableException {
        decompress(new SnappyCodec(), input);
    }

    /** As {@link #lz4}. */
    public static void deflate(byte[] input) throws SSTableException {
        decompress(new DeflateCodec(), input);
    }

    /** As {@link #lz4}. */
    public static void zstd(byte[] input) throws SSTableException {
        decompress(ZstdCodec.of(Map.of()), input);
    }

    private static void decompress(ChunkCodec codec, byte[] input) throws SSTableException {
        Pieces pieces = new Pieces(input);
        int plainLength = (pieces.number() << 8 | pieces.number()) % PLAIN_LENGTH;
        byte[] stored = pieces.rest();
        byte[] into = ROOM.clone();
        try {
            codec.decompress(stored, stored.length, into, 1, plainLength);
        } finally {
            requireUntouched(into, 0, 1);
            requireUntouched(into, plainLength + 1, into.length);
        }
    }

    /**
     * By one comparison: a loop in this class would be counted as ways through the codec, and take most of the time.
     */
    private static void requireUntouched(byte[] bytes, int from, int to) {
        int different = Arrays.mismatch(bytes, from, to, ROOM, from, to);
        if (different >= 0) {
            throw new AssertionError(
                    "byte " + (from + different) + " was written (expected: none outside of its room)");
        }
    }
}
