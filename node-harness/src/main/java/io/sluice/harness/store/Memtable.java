package io.sluice.harness.store;

import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** Writes to one table since its last flush, in memory, by key. Thread-safe; readers never wait. */
final class Memtable {
    // Merging at every write costs quadratic time in the writes to a partition; never merging costs memory.
    private static final int MAX_CHANGES = 16;

    private final ClusteringOrder order;
    private final ConcurrentSkipListMap<PartitionKey, List<Mutation>> partitions = new ConcurrentSkipListMap<>();
    private final AtomicLong bytes = new AtomicLong();

    Memtable(ClusteringOrder order) {
        this.order = order;
    }

    /** @param lengthBytes what the mutation takes as bytes */
    void apply(Mutation mutation, int lengthBytes) {
        partitions.compute(
                mutation.key(), (key, changes) -> changes == null ? List.of(mutation) : with(changes, mutation));
        bytes.addAndGet(lengthBytes);
    }

    private List<Mutation> with(List<Mutation> changes, Mutation mutation) {
        List<Mutation> all = new ArrayList<>(changes);
        all.add(mutation);
        return all.size() < MAX_CHANGES ? List.copyOf(all) : List.of(merged(all));
    }

    private Mutation merged(List<Mutation> changes) {
        if (changes.size() == 1) {
            return changes.get(0);
        }
        List<PartitionSource> sources = changes.stream().map(Mutation::toSource).toList();
        try (MergedPartitions merging = new MergedPartitions(sources, order)) {
            return Mutation.of(merging.next().orElseThrow());
        } catch (IOException malformed) {
            throw new UncheckedIOException(malformed);
        }
    }

    /** Approximate number of bytes written; overwritten data counts again. */
    long lengthBytes() {
        return bytes.get();
    }

    boolean contains(PartitionKey key) {
        return partitions.containsKey(key);
    }

    /** The partitions in {@code ranges}; concurrent writes may or may not be included. */
    PartitionSource source(TokenRanges ranges) {
        Iterator<List<Mutation>> found = partitions.entrySet().stream()
                .filter(entry -> ranges.contains(entry.getKey().token()))
                .map(java.util.Map.Entry::getValue)
                .iterator();
        return new PartitionSource() {
            @Override
            public Optional<Partition> next() {
                return found.hasNext() ? Optional.of(merged(found.next()).toPartition()) : Optional.empty();
            }

            @Override
            public void close() {}
        };
    }
}
