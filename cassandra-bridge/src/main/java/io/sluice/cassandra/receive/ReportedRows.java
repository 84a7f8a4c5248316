package io.sluice.cassandra.receive;

import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.Unfiltered;
import java.io.IOException;
import java.util.Optional;

/**
 * Partitions that report that they are being read, so that a session whose received rows take long to rewrite is not
 * considered silent. Not thread-safe: confined to one reader, which closes it.
 */
final class ReportedRows implements PartitionSource {
    private static final int ITEMS_PER_REPORT = 1 << 10;

    private final PartitionSource source;
    private final Runnable onProgress;

    /** @param onProgress called for each partition, and within a large one now and then */
    ReportedRows(PartitionSource source, Runnable onProgress) {
        this.source = source;
        this.onProgress = onProgress;
    }

    @Override
    public Optional<Partition> next() throws IOException {
        onProgress.run();
        return source.next().map(Reported::new);
    }

    private final class Reported implements Partition {
        private final Partition partition;
        private int items;

        Reported(Partition partition) {
            this.partition = partition;
        }

        @Override
        public PartitionHeader header() {
            return partition.header();
        }

        @Override
        public Optional<Unfiltered> next() throws IOException {
            items++;
            if (items % ITEMS_PER_REPORT == 0) {
                onProgress.run();
            }
            return partition.next();
        }
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
