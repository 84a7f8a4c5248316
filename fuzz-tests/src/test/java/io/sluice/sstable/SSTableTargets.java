package io.sluice.sstable;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/** SSTables as a whole: components that contradict each other. Stateless. */
public final class SSTableTargets {
    /** All versions, by the numbers that inputs begin with; the corpus was begun with the first three. */
    public static final List<Version> VERSIONS =
            List.of(Version.NB, Version.OA, Version.DA, Version.MC, Version.MD, Version.ME, Version.NA);

    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));
    private static final List<Component> BIG = List.of(
            Component.STATISTICS,
            Component.INDEX,
            Component.SUMMARY,
            Component.FILTER,
            Component.COMPRESSION_INFO,
            Component.CRC,
            Component.DATA);
    private static final List<Component> BTI = List.of(
            Component.STATISTICS,
            Component.PARTITIONS,
            Component.ROWS,
            Component.FILTER,
            Component.COMPRESSION_INFO,
            Component.CRC,
            Component.DATA);

    private SSTableTargets() {}

    /** A transaction log of Cassandra. */
    public static void transactionLog(byte[] input) throws IOException {
        TransactionLog.read(MemoryFiles.file("nb_txn_compaction.log", input)).notLive();
    }

    /** The version, then components, each with its length in front but the last, Data.db; an empty one is missing. */
    public static void whole(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        Version version = VERSIONS.get(pieces.number() % VERSIONS.size());
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(1));
        try (MemoryFiles.Folder folder = MemoryFiles.folder()) {
            for (Component component : version == Version.DA ? BTI : BIG) {
                byte[] content = component == Component.DATA ? pieces.rest() : pieces.next();
                if (content.length > 0 || component == Component.ROWS) {
                    Files.write(folder.path().resolve(descriptor.fileName(component)), content);
                }
            }
            Verification.verify(folder.path(), descriptor);
            SSTable sstable = SSTable.open(folder.path(), descriptor);
            sstable.coverage(HALF);
            try (PartitionReader reader = PartitionReader.open(sstable, HALF)) {
                while (reader.next().isPresent()) {
                    // Each reads what the one before left.
                }
            }
        }
    }
}
