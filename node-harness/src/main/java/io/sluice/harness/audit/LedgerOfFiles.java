package io.sluice.harness.audit;

import io.sluice.harness.content.RowsRead;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/** Makes the ledger of SSTables that somebody else wrote, before they are given to nodes. Stateless. */
public final class LedgerOfFiles {
    private LedgerOfFiles() {}

    /**
     * Reads all of a table's folder; what was in {@code ledger} is replaced.
     *
     * @param read receives how many bytes of rows were read since the last time
     */
    public static void write(Path tableDirectory, Path ledger, LongConsumer read) throws IOException {
        TableDirectory table = TableDirectory.of(tableDirectory)
                .orElseThrow(() -> new IOException(tableDirectory + ": its name is none of a table's folder"));
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : table.descriptors()) {
            sstables.add(RowsRead.watched(SSTable.open(tableDirectory, descriptor), TokenRanges.FULL, read));
        }
        Files.createDirectories(ledger);
        Files.deleteIfExists(ledger.resolve(LedgerWriter.FILES));
        sstables.sort(Comparator.comparing(SSTable::firstKey));
        try (LedgerWriter writer = LedgerWriter.create(ledger, 0)) {
            // Files that share no token with another one by themselves, so that their hashes can be noted.
            for (int from = 0, to; from < sstables.size(); from = to) {
                var last = sstables.get(from).lastToken();
                for (to = from + 1;
                        to < sstables.size() && sstables.get(to).firstToken().compareTo(last) <= 0;
                        to++) {
                    last = last.compareTo(sstables.get(to).lastToken()) < 0
                            ? sstables.get(to).lastToken()
                            : last;
                }
                List<SSTable> group = sstables.subList(from, to);
                add(group, writer);
                if (group.size() == 1) {
                    writer.endFile(group.get(0).path(Component.DATA));
                } else {
                    writer.skipFile();
                }
            }
        }
    }

    private static void add(List<SSTable> group, LedgerWriter writer) throws IOException {
        ContentDigest.Hasher hasher = new ContentDigest.Hasher();
        try (MergedPartitions merged = MergedPartitions.open(group, TokenRanges.FULL)) {
            for (Optional<Partition> next = merged.next(); next.isPresent(); next = merged.next()) {
                byte[] key = next.get().header().key().bytes().toArray();
                ContentDigest content = hasher.hash(next.get());
                if (content.partitions() > 0) {
                    writer.add(key, content);
                }
            }
        }
    }
}
