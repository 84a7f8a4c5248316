package io.sluice.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.SerializationHeader;
import org.apache.cassandra.db.partitions.ImmutableBTreePartition;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.SSTableTxnWriter;
import org.apache.cassandra.io.sstable.SequenceBasedSSTableId;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.CompressionParams;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;

/** One SSTable as Cassandra reads it, and writes it again. */
final class CassandraTable {
    private final TableMetadata metadata;
    private final ColumnFamilyStore store;
    private final SSTableReader reader;
    private final List<ImmutableBTreePartition> partitions = new ArrayList<>();
    private int nextId = 1;

    private CassandraTable(TableMetadata metadata, ColumnFamilyStore store, SSTableReader reader) {
        this.metadata = metadata;
        this.store = store;
        this.reader = reader;
    }

    /** A copy of an SSTable that can be opened. */
    record Opener(TableMetadata metadata, ColumnFamilyStore store, Path folder, String dataFile) {
        SSTableReader open() {
            return SSTableReader.open(
                    store,
                    Descriptor.fromFile(new File(folder.resolve(dataFile))),
                    null,
                    TableMetadataRef.forOfflineTools(metadata),
                    true,
                    true);
        }

        /** Opens it and lets go of it; returns its last key. */
        Object openAndRelease() {
            SSTableReader reader = open();
            Object last = reader.getLast();
            reader.selfRef().release();
            return last;
        }
    }

    /** Copies the SSTable to a folder of Cassandra's, which goes when this process does: until then it is open. */
    static Opener copy(TableMetadata declared, Path data, String compression) throws IOException {
        CompressionParams parameters =
                compression.equals("lz4") ? CompressionParams.lz4() : CompressionParams.noCompression();
        TableMetadata metadata = declared.unbuild().compression(parameters).build();
        Path folder = FormatBenchmark.temporary("sluice-theirs")
                .resolve(metadata.keyspace)
                .resolve(metadata.name + "-" + metadata.id.toHexString());
        Files.createDirectories(folder);
        try (Stream<Path> files = Files.list(data.getParent())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
        }
        ColumnFamilyStore store =
                Keyspace.openWithoutSSTables(metadata.keyspace).getColumnFamilyStore(metadata.id);
        return new Opener(metadata, store, folder, data.getFileName().toString());
    }

    /** Opens a copy of the SSTable, and takes its partitions into memory. */
    static CassandraTable open(TableMetadata declared, Path data, String compression) throws IOException {
        Opener opener = copy(declared, data, compression);
        CassandraTable table = new CassandraTable(opener.metadata(), opener.store(), opener.open());
        try (ISSTableScanner scanner = table.scanner()) {
            while (scanner.hasNext()) {
                try (UnfilteredRowIterator partition = scanner.next()) {
                    table.partitions.add(ImmutableBTreePartition.create(partition));
                }
            }
        }
        return table;
    }

    ISSTableScanner scanner() {
        return reader.getScanner();
    }

    /** Writes all partitions into a new SSTable in {@code folder}; returns the bytes on disk. */
    long write(Path folder) {
        Descriptor descriptor = new Descriptor(
                new File(folder), metadata.keyspace, metadata.name, new SequenceBasedSSTableId(nextId++));
        SerializationHeader header = SerializationHeader.make(metadata, List.of(reader));
        try (SSTableTxnWriter writer = SSTableTxnWriter.create(
                TableMetadataRef.forOfflineTools(metadata),
                descriptor,
                partitions.size(),
                0,
                null,
                false,
                header,
                List.of(),
                store)) {
            for (ImmutableBTreePartition partition : partitions) {
                try (UnfilteredRowIterator rows = partition.unfilteredIterator()) {
                    writer.append(rows);
                }
            }
            writer.finish(false);
            return writer.getOnDiskBytesWritten();
        }
    }
}
