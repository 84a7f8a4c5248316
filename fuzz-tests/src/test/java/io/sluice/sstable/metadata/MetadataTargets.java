package io.sluice.sstable.metadata;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.token.Murmur3;
import java.io.IOException;
import java.util.List;
import java.util.zip.CRC32;

/** Statistics.db, Filter.db, TOC.txt and Digest.crc32. Stateless. */
public final class MetadataTargets {
    private static final int TYPES = 4;

    private MetadataTargets() {}

    /** The version, then the file as it is, of which most fails at a checksum. */
    public static void statistics(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        read(pieces.number(), pieces.rest());
    }

    /** The version and the bodies of the components, in a file whose offsets and checksums are right. */
    public static void statisticsComponents(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        int version = pieces.number();
        GrowingBuffer table = new GrowingBuffer().putInt(TYPES);
        CRC32 crc = new CRC32();
        crc.update(table.written());
        table.putInt((int) crc.getValue());
        GrowingBuffer bodies = new GrowingBuffer();
        int start = Integer.BYTES * (3 + 2 * TYPES);
        for (int type = 0; type < TYPES; type++) {
            GrowingBuffer entry = new GrowingBuffer().putInt(type).putInt(start + bodies.length());
            crc.update(entry.written());
            table.put(entry);
            Bytes body = Bytes.wrap(type == TYPES - 1 ? pieces.rest() : pieces.next());
            CRC32 ofBody = new CRC32();
            body.addTo(ofBody);
            bodies.put(body).putInt((int) ofBody.getValue());
        }
        table.putInt((int) crc.getValue()).put(bodies);
        read(version, table.toBytes().toArray());
    }

    private static void read(int version, byte[] file) throws IOException {
        List<Version> versions = List.of(Version.values());
        Statistics statistics =
                Statistics.read(MemoryFiles.file("Statistics.db", file), versions.get(version % versions.size()));
        SerializationHeader.parse(statistics.header());
        statistics.encode();
    }

    /** The file. */
    public static void filter(byte[] input) throws IOException {
        BloomFilter.read(MemoryFiles.file("Filter.db", input)).mayContain(Murmur3.of(input));
    }

    /** The file. */
    public static void toc(byte[] input) throws IOException {
        Toc.read(MemoryFiles.file("TOC.txt", input));
    }

    /** The file. */
    public static void digest(byte[] input) throws IOException {
        Digest.read(MemoryFiles.file("Digest.crc32", input));
    }
}
