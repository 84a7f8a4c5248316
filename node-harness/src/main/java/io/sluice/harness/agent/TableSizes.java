package io.sluice.harness.agent;

import io.sluice.harness.agent.AgentMessages.SizeOrder;
import io.sluice.harness.agent.AgentMessages.Sizes;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** How much a node has of some ranges, estimated from where their partitions lie. Immutable. */
record TableSizes(ManagedNode node) {
    /** Bytes in some ranges; files removed by compaction meanwhile do not count. */
    Sizes of(SizeOrder order) throws IOException {
        TokenRanges ranges = TokenRanges.of(order.ranges());
        Map<String, Long> bytes = new TreeMap<>();
        for (TableRef table : node.tables()) {
            if (table.keyspace().equals(order.keyspace())) {
                bytes.put(table.name(), bytes(table, ranges));
            }
        }
        return new Sizes(bytes);
    }

    private long bytes(TableRef table, TokenRanges ranges) throws IOException {
        long bytes = 0;
        for (Path folder : node.folders(table)) {
            Optional<TableDirectory> directory = TableDirectory.of(folder);
            if (directory.isPresent()) {
                for (Descriptor descriptor : directory.get().contents().sstables()) {
                    bytes += bytes(folder, descriptor, ranges);
                }
            }
        }
        return bytes;
    }

    private static long bytes(Path folder, Descriptor descriptor, TokenRanges ranges) throws IOException {
        try {
            SSTable sstable = SSTable.open(folder, descriptor);
            long wanted = sstable.sections(ranges).stream()
                    .mapToLong(section -> section.end() - section.start())
                    .sum();
            return (long) (sstable.bytesOnDisk() * ((double) wanted / Math.max(1, sstable.dataLengthBytes())));
        } catch (NoSuchFileException e) {
            return 0; // compacted since the folder was listed
        }
    }
}
