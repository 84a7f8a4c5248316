package io.sluice.harness.store;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.List;

/**
 * Which tombstones a compaction may purge: those older than anything that other sources may have of the partition.
 * Immutable.
 *
 * @param others live SSTables that are not compacted
 * @param memtables at the start of the compaction
 * @param expected ranges in which older rows may arrive
 */
record Purge(List<SSTable> others, List<Memtable> memtables, TokenRanges expected) {
    Purge {
        others = List.copyOf(others);
        memtables = List.copyOf(memtables);
    }

    /** Of a table as it is now. */
    static Purge of(TableView now, List<SSTable> inputs, TokenRanges expected) {
        List<SSTable> others = new ArrayList<>(now.sstables());
        others.removeAll(inputs);
        return new Purge(others, now.memtables(), expected);
    }

    /** The timestamp from which on tombstones of this partition are kept. */
    long keepFrom(PartitionKey key) {
        if (expected.contains(key.token()) || memtables.stream().anyMatch(memtable -> memtable.contains(key))) {
            return PurgingPartitions.KEEP_ALL;
        }
        long least = Long.MAX_VALUE;
        for (SSTable other : others) {
            boolean mayHaveIt = key.compareTo(other.firstKey()) >= 0 && key.compareTo(other.lastKey()) <= 0;
            if (mayHaveIt) {
                least = Math.min(
                        least, other.statistics().stats().times().timestamps().least());
            }
        }
        return least;
    }
}
