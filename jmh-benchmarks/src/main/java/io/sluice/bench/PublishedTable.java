package io.sluice.bench;

import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
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
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The table of the streaming benchmark that Cassandra published in 2018: one SSTable of 1,000,000 partitions of one
 * row, the key a decimal number as text, the clustering "0", the value empty; about 50 MB with all components.
 * Stateless.
 */
public final class PublishedTable {
    /** Its name, used in place of a folder. */
    static final String PLAIN = "published";

    /** The same table in LZ4 chunks of 16 KiB. */
    static final String LZ4 = "published-lz4";

    private static final int PARTITIONS = 1_000_000;
    private static final long TIMESTAMP = 1_700_000_000_000_000L;

    private PublishedTable() {}

    /** The folder of the table named {@code name}; a published table is first created in {@code scratch}. */
    static TableDirectory of(String name, Path scratch) throws IOException {
        Path folder = Path.of(name);
        if (name.equals(PLAIN) || name.equals(LZ4)) {
            folder = Files.createDirectories(
                    scratch.resolve("data").resolve("bench").resolve("tiny-00000000000000000000000000000001"));
            WriterOptions options = WriterOptions.DEFAULTS;
            write(folder, name.equals(LZ4) ? options.withCompression(CompressionParameters.lz4()) : options);
        }
        Path found = folder;
        return TableDirectory.of(found).orElseThrow(() -> new IOException(found + ": not the folder of a table"));
    }

    private static void write(Path folder, WriterOptions options) throws IOException {
        Column value = Column.of("val", Scalar.TEXT);
        var base = new SerializationHeader.Base(
                TIMESTAMP, SerializationHeader.Base.EPOCH.localDeletionTime(), SerializationHeader.Base.EPOCH.ttl());
        var header = new SerializationHeader(base, Scalar.TEXT, List.of(Scalar.TEXT), List.of(), List.of(value));
        var keys = new PartitionKey[PARTITIONS];
        for (int i = 0; i < PARTITIONS; i++) {
            keys[i] = PartitionKey.of(Bytes.utf8(Integer.toString(i)));
        }
        Arrays.sort(keys);
        Row row = Row.inserted(
                ClusteringPrefix.row(Bytes.utf8("0")), TIMESTAMP, List.of(Cell.of(value, TIMESTAMP, Bytes.EMPTY)));
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(1));
        try (SSTableWriter writer = SSTableWriter.create(folder, descriptor, header, options)) {
            for (PartitionKey key : keys) {
                writer.start(PartitionHeader.of(key));
                writer.add(row);
                writer.end();
            }
            writer.finish();
        }
    }

    /** The ranges of all but the first partition of the first half of each SSTable. */
    public static TokenRanges halves(TableDirectory table) throws IOException {
        List<TokenRange> halves = new ArrayList<>();
        for (SSTable sstable : TableFiles.open(table)) {
            long first = sstable.firstToken().value();
            long last = sstable.lastToken().value();
            halves.add(TokenRange.of(first, first / 2 + last / 2));
        }
        return TokenRanges.of(halves);
    }
}
