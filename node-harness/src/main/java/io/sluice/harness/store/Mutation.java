package io.sluice.harness.store;

import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.key.PartitionKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A change of one partition, or all of one: rows and markers, with their times. Applying it twice changes nothing more.
 * Immutable.
 *
 * @param items in clustering order
 */
public record Mutation(PartitionHeader header, List<Unfiltered> items) {
    public Mutation {
        items = List.copyOf(items);
    }

    /** All that {@code partition} has left. */
    static Mutation of(Partition partition) throws IOException {
        List<Unfiltered> items = new ArrayList<>();
        for (Optional<Unfiltered> item = partition.next(); item.isPresent(); item = partition.next()) {
            items.add(item.get());
        }
        return new Mutation(partition.header(), items);
    }

    public PartitionKey key() {
        return header.key();
    }

    /** Whether it changes nothing: it has neither rows, nor markers, nor a deletion of the partition. */
    boolean isEmpty() {
        return items.isEmpty()
                && header.deletion().isLive()
                && header.staticRow().isEmpty();
    }

    Partition toPartition() {
        return Partition.of(header, items);
    }

    /** A source of this partition alone. */
    PartitionSource toSource() {
        return new PartitionSource() {
            private boolean isRead;

            @Override
            public Optional<Partition> next() {
                Optional<Partition> next = isRead ? Optional.empty() : Optional.of(toPartition());
                isRead = true;
                return next;
            }

            @Override
            public void close() {}
        };
    }
}
