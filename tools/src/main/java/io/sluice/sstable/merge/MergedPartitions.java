package io.sluice.sstable.merge;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Merges the partitions of several sources of one table: each partition once, its rows merged. Holds one row of each
 * source in memory. Not thread-safe: confined to one reader, which closes it together with the sources.
 */
public final class MergedPartitions implements PartitionSource {
    private record Head(PartitionSource source, Partition partition) {}

    private final List<? extends PartitionSource> sources;
    private final ClusteringOrder order;
    private final RowMerger rows = new RowMerger();
    private final List<PartitionSource> unread = new ArrayList<>();
    private final PriorityQueue<Head> heads =
            new PriorityQueue<>(Comparator.comparing(head -> head.partition().header()));

    /**
     * Merges {@code sources}.
     *
     * @param order of the table's clusterings, the same in all sources
     */
    public MergedPartitions(List<? extends PartitionSource> sources, ClusteringOrder order) {
        this.sources = List.copyOf(sources);
        this.order = order;
        this.unread.addAll(sources);
    }

    /** The partitions of {@code sstables}, all of one table, in {@code ranges}. */
    public static MergedPartitions open(Collection<SSTable> sstables, TokenRanges ranges) throws IOException {
        List<PartitionReader> readers = new ArrayList<>();
        try {
            for (SSTable sstable : sstables) {
                readers.add(PartitionReader.open(sstable, ranges));
            }
        } catch (IOException | RuntimeException failed) {
            closeAll(readers, failed);
            throw failed;
        }
        List<CqlType> types =
                readers.isEmpty() ? List.of() : readers.get(0).header().clusteringTypes();
        return new MergedPartitions(readers, new ClusteringOrder(types));
    }

    @Override
    public Optional<Partition> next() throws IOException {
        for (PartitionSource source : unread) {
            source.next().ifPresent(partition -> heads.add(new Head(source, partition)));
        }
        unread.clear();
        Head first = heads.poll();
        if (first == null) {
            return Optional.empty();
        }
        List<Partition> same = new ArrayList<>();
        for (Head head = first; head != null; head = pollSame(first)) {
            same.add(head.partition());
            unread.add(head.source());
        }
        return Optional.of(new MergedPartition(same, order, rows));
    }

    private @Nullable Head pollSame(Head first) {
        Head next = heads.peek();
        boolean isSame = next != null
                && next.partition().header().compareTo(first.partition().header()) == 0;
        return isSame ? heads.poll() : null;
    }

    @Override
    public void close() throws IOException {
        IOException failure = new IOException("sources that cannot be closed: see the suppressed ones");
        closeAll(sources, failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    private static void closeAll(List<? extends PartitionSource> sources, Exception failure) {
        for (PartitionSource source : sources) {
            try {
                source.close();
            } catch (IOException failed) {
                failure.addSuppressed(failed);
            }
        }
    }
}
