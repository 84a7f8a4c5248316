package io.sluice.harness.store;

import io.sluice.harness.content.StoredDigest;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A table at one moment: its SSTables, which stay until this is closed, and its memtables, which may still grow. Not
 * thread-safe; closed by whoever opened it.
 */
public final class TableView implements AutoCloseable {
    private final LiveSSTables.Lease lease;
    private final List<Memtable> memtables;
    private final ClusteringOrder order;

    TableView(LiveSSTables.Lease lease, List<Memtable> memtables, ClusteringOrder order) {
        this.lease = lease;
        this.memtables = List.copyOf(memtables);
        this.order = order;
    }

    /** The SSTables, without memtables. */
    public List<SSTable> sstables() {
        return lease.sstables();
    }

    List<Memtable> memtables() {
        return memtables;
    }

    /** All partitions in {@code ranges}, merged; to be closed before this is. */
    public MergedPartitions partitions(TokenRanges ranges) throws IOException {
        List<PartitionSource> sources = new ArrayList<>();
        for (Memtable memtable : memtables) {
            sources.add(memtable.source(ranges));
        }
        try {
            for (SSTable sstable : sstables()) {
                if (ranges.intersects(sstable.firstToken(), sstable.lastToken())) {
                    sources.add(PartitionReader.open(sstable, ranges));
                }
            }
        } catch (IOException | RuntimeException failed) {
            try {
                new MergedPartitions(sources, order).close();
            } catch (IOException alsoFailed) {
                failed.addSuppressed(alsoFailed);
            }
            throw failed;
        }
        return new MergedPartitions(sources, order);
    }

    /** The fingerprint of a range as stored; empty if some of it may be in memtables only. */
    public Optional<StoredDigest> stored(TokenRange range) throws IOException {
        return memtables.isEmpty() ? Optional.of(StoredDigest.of(sstables(), range)) : Optional.empty();
    }

    /** The digest of what is in {@code ranges}. */
    public ContentDigest digest(TokenRanges ranges) throws IOException {
        try (MergedPartitions content = partitions(ranges)) {
            return ContentDigest.of(content);
        }
    }

    /** The existing partitions among these keys, by key. */
    public List<Mutation> read(Collection<PartitionKey> keys) throws IOException {
        Set<PartitionKey> wanted = Set.copyOf(keys);
        List<TokenRange> ranges = wanted.stream()
                .map(key -> key.token().value())
                .distinct()
                .map(token -> TokenRange.of(token - 1, token))
                .toList();
        List<Mutation> found = new ArrayList<>();
        try (MergedPartitions content = partitions(TokenRanges.of(ranges))) {
            for (Optional<Partition> next = content.next(); next.isPresent(); next = content.next()) {
                if (wanted.contains(next.get().header().key())) {
                    found.add(Mutation.of(next.get()));
                }
            }
        }
        return found;
    }

    @Override
    public void close() {
        lease.close();
    }
}
