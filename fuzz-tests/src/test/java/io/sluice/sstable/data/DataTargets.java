package io.sluice.sstable.data;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.SSTableTargets;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.json.Dump;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import java.io.IOException;
import java.util.List;

/** Rows of Data.db, and what one must know to read them. Stateless. */
public final class DataTargets {
    private static final List<Version> VERSIONS = SSTableTargets.VERSIONS;

    private DataTargets() {}

    /** The serialization header. */
    public static void header(byte[] input) throws IOException {
        SerializationHeader header = SerializationHeader.parse(Bytes.wrap(input));
        if (!SerializationHeader.parse(header.toBytes()).equals(header)) {
            throw new AssertionError("written and read again it is another header");
        }
    }

    /** The version, the serialization header with its length in front, then Data.db, by objects. */
    public static void rows(byte[] input) throws IOException {
        try (PartitionReader reader = reader(input);
                MergedPartitions merged = new MergedPartitions(
                        List.of(reader), new ClusteringOrder(reader.header().clusteringTypes()))) {
            ContentDigest.of(merged);
        }
    }

    /** The same, the Data.db of another SSTable with its length in front: both merged, their values compared. */
    public static void mergedRows(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        int version = pieces.number();
        SerializationHeader header = SerializationHeader.parse(Bytes.wrap(pieces.next()));
        try (PartitionReader first = reader("First.db", version, header, pieces.next());
                PartitionReader second = reader("Data.db", version, header, pieces.rest());
                MergedPartitions merged =
                        new MergedPartitions(List.of(first, second), new ClusteringOrder(header.clusteringTypes()))) {
            ContentDigest.of(merged);
        }
    }

    /** The same, as text: each value by its type. */
    public static void dump(byte[] input) throws IOException {
        Version version = VERSIONS.get(new Pieces(input).number() % VERSIONS.size());
        try (PartitionReader reader = reader(input)) {
            new Dump(reader, version, 0, new StringBuilder()).print();
        }
    }

    private static PartitionReader reader(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        int version = pieces.number();
        SerializationHeader header = SerializationHeader.parse(Bytes.wrap(pieces.next()));
        return reader("Data.db", version, header, pieces.rest());
    }

    private static PartitionReader reader(String name, int version, SerializationHeader header, byte[] rows)
            throws IOException {
        List<Section> sections = rows.length == 0 ? List.of() : List.of(new Section(0, rows.length));
        return new PartitionReader(
                DataReader.plain(MemoryFiles.file(name, rows)),
                VERSIONS.get(version % VERSIONS.size()),
                header,
                sections);
    }
}
