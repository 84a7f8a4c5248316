package io.sluice.sstable.data;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of several sources of one table as if they were one: each partition once, its rows merged. Holds one
 * row of each source. Not thread-safe: confined to one reader, who closes it, and the sources with it.
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
        IOException failure = null;
        for (PartitionSource source : sources) {
            try {
                source.close();
            } catch (IOException failed) {
                if (failure == null) {
                    failure = failed;
                } else {
                    failure.addSuppressed(failed);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
