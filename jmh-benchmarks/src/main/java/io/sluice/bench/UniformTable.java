package io.sluice.bench;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A table whose partitions have one row each: the key a decimal number as text, the clustering "0", and a value of the
 * same bytes everywhere. Immutable.
 *
 * @param partitions from 1 on
 * @param valueBytes length of the value
 */
public record UniformTable(Version version, int partitions, int valueBytes) {
    private static final long TIMESTAMP = 1_700_000_000_000_000L;

    /** Writes it as one SSTable to a new folder below {@code data}, which is returned. */
    public Path write(Path data, WriterOptions options) throws IOException {
        return write(data, options, 1);
    }

    /** Writes it as several SSTables, each of which spans the whole ring. */
    public Path write(Path data, WriterOptions options, int sstables) throws IOException {
        Path folder = Files.createDirectories(data.resolve("bench").resolve("tiny-00000000000000000000000000000001"));
        Column value = Column.of("val", Scalar.TEXT);
        var base = new SerializationHeader.Base(
                TIMESTAMP, SerializationHeader.Base.EPOCH.localDeletionTime(), SerializationHeader.Base.EPOCH.ttl());
        var header = new SerializationHeader(base, Scalar.TEXT, List.of(Scalar.TEXT), List.of(), List.of(value));
        var keys = new PartitionKey[partitions];
        for (int i = 0; i < partitions; i++) {
            keys[i] = PartitionKey.of(Bytes.utf8(Integer.toString(i)));
        }
        Arrays.parallelSort(keys);
        Bytes text = Bytes.utf8("x".repeat(valueBytes));
        Row row = Row.inserted(
                ClusteringPrefix.row(Bytes.utf8("0")), TIMESTAMP, List.of(Cell.of(value, TIMESTAMP, text)));
        for (int number = 0; number < sstables; number++) {
            Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(number + 1));
            try (SSTableWriter writer = SSTableWriter.create(folder, descriptor, header, options)) {
                for (int i = number; i < keys.length; i += sstables) {
                    writer.start(PartitionHeader.of(keys[i]));
                    writer.add(row);
                    writer.end();
                }
                writer.finish();
            }
        }
        return folder;
    }
}
