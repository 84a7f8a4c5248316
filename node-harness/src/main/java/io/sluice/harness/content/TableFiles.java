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
import java.util.List;

/** The SSTables in a table's folder, opened. Immutable. */
public record TableFiles(TableRef table, Path directory, List<SSTable> sstables) {
    public TableFiles {
        sstables = List.copyOf(sstables);
    }

    /** Opens all tables of a data directory. */
    public static List<TableFiles> openAll(Path dataDirectory) throws IOException {
        List<TableFiles> tables = new ArrayList<>();
        for (TableDirectory found : TableDirectory.find(dataDirectory)) {
            TableRef table = new TableRef(found.id(), found.keyspace(), found.name());
            tables.add(new TableFiles(table, found.path(), open(found)));
        }
        return tables;
    }

    /** The SSTables of one folder. */
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

    /** Reads what lies in {@code ranges}; the digest of each. */
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
