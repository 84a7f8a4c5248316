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
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * A run of partitions as it is stored, hashed by the checksums that were written with it: SHA-256 over lengths and
 * CRC-32s.
 *
 * <ul>
 *   <li>Compressed: of each chunk that is completely in the last section, as it is stored, and of the uncompressed
 *       content before and behind these. A slice has the same chunks, since it keeps partitions at their offsets within
 *       chunks.
 *   <li>Plain: of the whole run. A slice has other chunks, so the CRC-32 of the run is computed from those of its
 *       chunks, and from the bytes before and behind these.
 * </ul>
 *
 * Immutable.
 *
 * @param content sections without padding, ascending, at least one; more than one only if compressed
 */
record StoredRun(SSTable sstable, List<Section> content) {
    private static final int PIECE_BYTES = 1 << 18;

    StoredRun {
        content = List.copyOf(content);
        if (content.isEmpty() || (content.size() > 1 && !sstable.isCompressed())) {
            throw new IllegalArgumentException(
                    sstable + ": " + content.size() + " sections of a run (expected: at least one, and one if plain)");
        }
    }

    /** Chunks that are completely in a section, by number. */
    private record Chunks(long first, long end, int lengthBytes) {
        /** Without a shorter one at the end of the file: in another file it may be longer. */
        static Chunks of(Section section, int lengthBytes) {
            return new Chunks(
                    (section.start() + lengthBytes - 1) / lengthBytes, section.end() / lengthBytes, lengthBytes);
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
            crcOf(content);
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
            add(hash, lengthOf(content), crcOfPlain());
        }
        return HexFormat.of().formatHex(hash.digest());
    }

    private Chunks whole(CompressionInfo compression) {
        return Chunks.of(last(), compression.parameters().chunkLengthBytes());
    }

    private Section last() {
        return content.get(content.size() - 1);
    }

    private static long lengthOf(List<Section> sections) {
        return sections.stream().mapToLong(Section::lengthBytes).sum();
    }

    private StoredChunks openChunks() throws IOException {
        return StoredChunks.open(sstable.path(Component.DATA), sstable.path(Component.COMPRESSION_INFO));
    }

    private void addCompressed(MessageDigest hash, CompressionInfo compression) throws IOException {
        Chunks whole = whole(compression);
        if (whole.isEmpty()) {
            addBytes(hash, content);
            return;
        }
        add(hash, compression.parameters().compressor().className() + " " + whole.lengthBytes());
        List<Section> front = new ArrayList<>(content.subList(0, content.size() - 1));
        front.addAll(section(last().start(), whole.startBytes()));
        addBytes(hash, front);
        try (StoredChunks chunks = openChunks()) {
            for (long chunk = whole.first(); chunk < whole.end(); chunk++) {
                add(hash, chunks.lengthBytes(chunk), chunks.recordedCrc(chunk));
            }
        }
        addBytes(hash, section(whole.endBytes(), last().end()));
    }

    /** As one, or none if they are. */
    private void addBytes(MessageDigest hash, List<Section> sections) throws IOException {
        if (!sections.isEmpty()) {
            add(hash, lengthOf(sections), crcOf(sections));
        }
    }

    /** None if it is empty. */
    private static List<Section> section(long from, long to) {
        return from < to ? List.of(new Section(from, to)) : List.of();
    }

    private int crcOfPlain() throws IOException {
        if (!sstable.components().contains(Component.CRC)) {
            return crcOf(content);
        }
        try (ChecksumTable recorded = ChecksumTable.open(sstable.path(Component.CRC), sstable.dataLengthBytes())) {
            Section run = last();
            Chunks whole = Chunks.of(run, recorded.chunkLengthBytes());
            if (whole.isEmpty()) {
                return crcOf(content);
            }
            Crc32OfParts crc = new Crc32OfParts();
            crc.append(crcOf(section(run.start(), whole.startBytes())), whole.startBytes() - run.start());
            for (long chunk = whole.first(); chunk < whole.end(); chunk++) {
                crc.append(recorded.crc(chunk), whole.lengthBytes());
            }
            crc.append(crcOf(section(whole.endBytes(), run.end())), run.end() - whole.endBytes());
            return crc.value();
        }
    }

    /** Reads uncompressed bytes, verified. */
    private int crcOf(List<Section> sections) throws IOException {
        CRC32 crc = new CRC32();
        if (sections.isEmpty()) {
            return 0; // no file is opened for it
        }
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, lengthOf(sections)));
        try (DataReader data = sstable.openData()) {
            for (Section section : sections) {
                for (long position = section.start(); position < section.end(); position += piece.limit()) {
                    piece.clear().limit((int) Math.min(piece.capacity(), section.end() - position));
                    data.read(position, piece);
                    crc.update(piece.flip());
                }
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
