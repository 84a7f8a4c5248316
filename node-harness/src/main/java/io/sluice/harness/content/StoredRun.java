package io.sluice.harness.content;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.compression.CompressionInfo;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.compression.StoredChunks;
import io.sluice.sstable.index.Section;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Hashes a run of partitions as it is stored: SHA-256 over the length, the CRC-32 and the CRC-32C of each of its
 * pieces. A chunk that is completely in the run is a piece as it is stored, and its CRC-32 the one beside it, which is
 * verified; a slice has the same chunks, since it keeps partitions at their offsets within chunks. What else is in the
 * run is divided into pieces of 256 KiB, uncompressed. To hash all bytes of all chunks, decompressed, takes four times
 * the CPU. Not thread-safe.
 */
final class StoredRun {
    private static final int PIECE_BYTES = 1 << 18;

    private final MessageDigest hash;
    private final CRC32 crc32 = new CRC32();
    private final CRC32C crc32c = new CRC32C();
    private final ByteBuffer sums = ByteBuffer.allocate(3 * Integer.BYTES);

    private StoredRun(MessageDigest hash) {
        this.hash = hash;
    }

    /**
     * Reads a run of {@code sstable}, and adds it to {@code hash}, an empty one.
     *
     * @return the hash in hexadecimal digits
     * @throws IOException if a file cannot be read, or a checksum does not match
     */
    static String hash(SSTable sstable, Section run, MessageDigest hash) throws IOException {
        StoredRun stored = new StoredRun(hash);
        stored.add(sstable.descriptor().version().toString());
        hash.update(sstable.statistics().header().toArray());
        Optional<CompressionInfo> compression = sstable.compression();
        if (compression.isPresent()) {
            stored.addCompressed(sstable, run, compression.get());
        } else {
            stored.addPlain(sstable, run.start(), run.end());
        }
        return HexFormat.of().formatHex(hash.digest());
    }

    private void addCompressed(SSTable sstable, Section run, CompressionInfo compression) throws IOException {
        int chunkLength = compression.parameters().chunkLengthBytes();
        long first = (run.start() + chunkLength - 1) / chunkLength;
        long end = run.end() / chunkLength;
        if (first >= end) {
            addPlain(sstable, run.start(), run.end());
            return;
        }
        add(compression.parameters().compressor().className() + " " + chunkLength);
        addPlain(sstable, run.start(), first * chunkLength);
        try (StoredChunks chunks =
                StoredChunks.open(sstable.path(Component.DATA), sstable.path(Component.COMPRESSION_INFO))) {
            for (long chunk = first; chunk < end; chunk++) {
                addChunk(chunks.read(chunk));
            }
        }
        addPlain(sstable, end * chunkLength, run.end());
    }

    /** Adds a chunk that its CRC follows. */
    private void addChunk(ByteBuffer stored) {
        int verified = stored.getInt(stored.limit() - Integer.BYTES);
        addPiece(stored.limit(stored.limit() - Integer.BYTES), verified);
    }

    private void addPlain(SSTable sstable, long from, long to) throws IOException {
        if (from == to) {
            return;
        }
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, to - from));
        try (DataReader data = sstable.openData()) {
            for (long position = from; position < to; position += piece.limit()) {
                piece.clear().limit((int) Math.min(piece.capacity(), to - position));
                data.read(position, piece);
                crc32.reset();
                crc32.update(piece.flip());
                addPiece(piece.rewind(), (int) crc32.getValue());
            }
        }
    }

    private void addPiece(ByteBuffer piece, int crc) {
        int length = piece.remaining();
        crc32c.reset();
        crc32c.update(piece);
        hash.update(sums.clear()
                .putInt(length)
                .putInt(crc)
                .putInt((int) crc32c.getValue())
                .flip());
    }

    private void add(String text) {
        hash.update(text.getBytes(StandardCharsets.UTF_8));
    }
}
