package io.sluice.harness.content;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The opened SSTables of a table. Immutable.
 *
 * @param directory the first of their folders
 */
public record TableFiles(TableRef table, Path directory, List<SSTable> sstables) {
    public TableFiles {
        sstables = List.copyOf(sstables);
    }

    /** Opens all tables of a data directory. */
    public static List<TableFiles> openAll(Path dataDirectory) throws IOException {
        List<TableFiles> tables = new ArrayList<>();
        for (TableDirectory found : TableDirectory.find(dataDirectory)) {
            tables.add(of(found));
        }
        return tables;
    }

    /** Opens the table of one folder. */
    public static TableFiles of(TableDirectory folder) throws IOException {
        return new TableFiles(new TableRef(folder.id(), folder.keyspace(), folder.name()), folder.path(), open(folder));
    }

    /** Opens all tables of several data directories of one node: for each table, the SSTables of all directories. */
    public static List<TableFiles> openAll(List<Path> dataDirectories) throws IOException {
        Map<TableRef, TableFiles> tables = new LinkedHashMap<>();
        for (Path directory : dataDirectories) {
            for (TableFiles found : openAll(directory)) {
                tables.merge(found.table(), found, TableFiles::and);
            }
        }
        return List.copyOf(tables.values());
    }

    /** The same table with the SSTables of another folder of it, too. */
    public TableFiles and(TableFiles other) {
        return new TableFiles(
                table,
                directory,
                Stream.concat(sstables.stream(), other.sstables.stream()).toList());
    }

    /** Opens the SSTables of one folder. */
    public static List<SSTable> open(TableDirectory directory) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : directory.descriptors()) {
            sstables.add(SSTable.open(directory.path(), descriptor));
        }
        return sstables;
    }

    public long bytesOnDisk() {
        return sstables.stream().mapToLong(SSTable::bytesOnDisk).sum();
    }

    /** The fingerprint of a range as it is stored. */
    public StoredDigest stored(TokenRange range) throws IOException {
        return StoredDigest.of(sstables, range);
    }

    /** Reads {@code ranges}; returns the digest of each. */
    public List<RangeDigest> digests(List<TokenRange> ranges) throws IOException {
        List<RangeDigest> digests = new ArrayList<>();
        for (TokenRange range : ranges) {
            try (MergedPartitions content = MergedPartitions.open(sstables, TokenRanges.of(range))) {
                digests.add(new RangeDigest(range, ContentDigest.of(content)));
            }
        }
        return digests;
    }
}
