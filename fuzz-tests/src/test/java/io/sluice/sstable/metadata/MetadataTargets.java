package io.sluice.sstable.metadata;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.SSTableTargets;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.Murmur3;
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
        read(version(pieces.number()), pieces.rest());
    }

    /** The version and the bodies of the components, in a file whose offsets and checksums are right. */
    public static void statisticsComponents(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        Version version = version(pieces.number());
        boolean hasSums = version.hasStatisticsChecksums();
        int sumBytes = hasSums ? Integer.BYTES : 0;
        GrowingBuffer table = new GrowingBuffer().putInt(TYPES);
        CRC32 crc = new CRC32();
        crc.update(table.written());
        if (hasSums) {
            table.putInt((int) crc.getValue());
        }
        GrowingBuffer bodies = new GrowingBuffer();
        int start = Integer.BYTES * (1 + 2 * TYPES) + 2 * sumBytes;
        for (int type = 0; type < TYPES; type++) {
            GrowingBuffer entry = new GrowingBuffer().putInt(type).putInt(start + bodies.length());
            crc.update(entry.written());
            table.put(entry);
            Bytes body = Bytes.wrap(type == TYPES - 1 ? pieces.rest() : pieces.next());
            CRC32 ofBody = new CRC32();
            body.addTo(ofBody);
            bodies.put(body);
            if (hasSums) {
                bodies.putInt((int) ofBody.getValue());
            }
        }
        if (hasSums) {
            table.putInt((int) crc.getValue());
        }
        table.put(bodies);
        read(version, table.toBytes().toArray());
    }

    private static Version version(int number) {
        return SSTableTargets.VERSIONS.get(number % SSTableTargets.VERSIONS.size());
    }

    private static void read(Version version, byte[] file) throws IOException {
        Statistics statistics = Statistics.read(MemoryFiles.file("Statistics.db", file), version);
        SerializationHeader.parse(statistics.header());
        statistics.encode();
    }

    /** The file, in both orders of bytes. */
    public static void filter(byte[] input) throws IOException {
        for (Version version : List.of(Version.ME, Version.NB)) {
            BloomFilter.read(MemoryFiles.file("Filter.db", input), version).mayContain(Murmur3.of(input));
        }
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
