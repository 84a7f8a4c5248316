package io.sluice.harness.content;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Crc32OfParts;
import io.sluice.sstable.compression.ChecksumTable;
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

/**
 * A run of partitions as it is stored, hashed by the checksums that were written with it: SHA-256 over lengths and
 * CRC-32s.
 *
 * <ul>
 *   <li>Compressed: of each chunk that is completely in the run, as it is stored, and of the uncompressed bytes before
 *       and behind these. A slice has the same chunks, since it keeps partitions at their offsets within chunks.
 *   <li>Plain: of the whole run. A slice has other chunks, so the CRC-32 of the run is computed from those of its
 *       chunks, and from the bytes before and behind these.
 * </ul>
 *
 * Immutable.
 */
record StoredRun(SSTable sstable, Section run) {
    private static final int PIECE_BYTES = 1 << 18;

    /** Chunks that are completely in the run, by number. */
    private record Chunks(long first, long end, int lengthBytes) {
        /** Without a shorter one at the end of the file: in another file it may be longer. */
        static Chunks of(Section run, int lengthBytes) {
            return new Chunks((run.start() + lengthBytes - 1) / lengthBytes, run.end() / lengthBytes, lengthBytes);
        }

        boolean isEmpty() {
            return first >= end;
        }

        long startBytes() {
            return first * lengthBytes;
        }

        long endBytes() {
            return end * lengthBytes;
        }
    }

    /**
     * Reads the run, and verifies every checksum.
     *
     * @throws IOException if a file cannot be read, or a checksum does not match
     */
    void verify() throws IOException {
        Optional<CompressionInfo> compression = sstable.compression();
        if (compression.isEmpty()) {
            crcOf(run.start(), run.end());
            return;
        }
        Chunks whole = whole(compression.get());
        try (StoredChunks chunks = openChunks()) {
            for (long chunk = whole.first(); chunk < whole.end(); chunk++) {
                chunks.read(chunk);
            }
        }
    }

    /**
     * Hashes what is recorded; of the run itself it reads at its ends what is less than a chunk, verified.
     *
     * @param hash an empty one
     * @return the hash in hexadecimal digits
     * @throws IOException if a file cannot be read, or a checksum of what is read does not match
     */
    String hash(MessageDigest hash) throws IOException {
        add(hash, sstable.descriptor().version().toString());
        hash.update(sstable.statistics().header().toArray());
        Optional<CompressionInfo> compression = sstable.compression();
        if (compression.isPresent()) {
            addCompressed(hash, compression.get());
        } else {
            add(hash, run.lengthBytes(), crcOfPlain());
        }
        return HexFormat.of().formatHex(hash.digest());
    }

    private Chunks whole(CompressionInfo compression) {
        return Chunks.of(run, compression.parameters().chunkLengthBytes());
    }

    private StoredChunks openChunks() throws IOException {
        return StoredChunks.open(sstable.path(Component.DATA), sstable.path(Component.COMPRESSION_INFO));
    }

    private void addCompressed(MessageDigest hash, CompressionInfo compression) throws IOException {
        Chunks whole = whole(compression);
        if (whole.isEmpty()) {
            add(hash, run.lengthBytes(), crcOf(run.start(), run.end()));
            return;
        }
        add(hash, compression.parameters().compressor().className() + " " + whole.lengthBytes());
        addEnd(hash, run.start(), whole.startBytes());
        try (StoredChunks chunks = openChunks()) {
            for (long chunk = whole.first(); chunk < whole.end(); chunk++) {
                add(hash, chunks.lengthBytes(chunk), chunks.recordedCrc(chunk));
            }
        }
        addEnd(hash, whole.endBytes(), run.end());
    }

    private void addEnd(MessageDigest hash, long from, long to) throws IOException {
        if (from < to) {
            add(hash, to - from, crcOf(from, to));
        }
    }

    private int crcOfPlain() throws IOException {
        if (!sstable.components().contains(Component.CRC)) {
            return crcOf(run.start(), run.end());
        }
        try (ChecksumTable recorded = ChecksumTable.open(sstable.path(Component.CRC), sstable.dataLengthBytes())) {
            Chunks whole = Chunks.of(run, recorded.chunkLengthBytes());
            if (whole.isEmpty()) {
                return crcOf(run.start(), run.end());
            }
            Crc32OfParts crc = new Crc32OfParts();
            crc.append(crcOf(run.start(), whole.startBytes()), whole.startBytes() - run.start());
            for (long chunk = whole.first(); chunk < whole.end(); chunk++) {
                crc.append(recorded.crc(chunk), whole.lengthBytes());
            }
            crc.append(crcOf(whole.endBytes(), run.end()), run.end() - whole.endBytes());
            return crc.value();
        }
    }

    /** Reads uncompressed bytes, verified. */
    private int crcOf(long from, long to) throws IOException {
        CRC32 crc = new CRC32();
        if (from == to) {
            return 0; // no file is opened for it
        }
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, to - from));
        try (DataReader data = sstable.openData()) {
            for (long position = from; position < to; position += piece.limit()) {
                piece.clear().limit((int) Math.min(piece.capacity(), to - position));
                data.read(position, piece);
                crc.update(piece.flip());
            }
        }
        return (int) crc.getValue();
    }

    private static void add(MessageDigest hash, long lengthBytes, int crc) {
        hash.update(ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(lengthBytes)
                .putInt(crc)
                .flip());
    }

    private static void add(MessageDigest hash, String text) {
        hash.update(text.getBytes(StandardCharsets.UTF_8));
    }
}
