package io.sluice.sstable.data;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * A partition whose rows and markers are read one by one, so that it may be larger than memory. Not thread-safe:
 * confined to one reader; can be read once.
 */
public interface Partition {
    PartitionHeader header();

    /**
     * The next row or marker in clustering order, or empty after the last.
     *
     * @throws io.sluice.sstable.component.SSTableException if the bytes are malformed
     */
    Optional<Unfiltered> next() throws IOException;

    /** A partition in memory. */
    static Partition of(PartitionHeader header, List<? extends Unfiltered> content) {
        Iterator<? extends Unfiltered> items = content.iterator();
        return new Partition() {
            @Override
            public PartitionHeader header() {
                return header;
            }

            @Override
            public Optional<Unfiltered> next() {
                return items.hasNext() ? Optional.of(items.next()) : Optional.empty();
            }
        };
    }
}
