package io.sluice.sstable.generate;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Writes a {@link DataSet}, or its partitions in some token ranges, as SSTables whose token ranges do not overlap, as
 * leveled compaction does. Writing a data set range by range gives the same rows as writing it whole. Not thread-safe.
 */
public final class DataSetWriter {
    private final DataSet dataSet;
    private final Version version;
    private final WriterOptions options;
    private final List<ClusteringPrefix> clusterings;
    private final Optional<Listener> listener;

    /** Receives what is being written, directly rather than read back. */
    public interface Listener {
        /** Receives a partition, which may be read once, before this returns. */
        void partition(Partition partition) throws IOException;

        /** An SSTable is complete; it holds the partitions received since the previous one. */
        void sstable(Descriptor descriptor) throws IOException;
    }

    public DataSetWriter(DataSet dataSet, Version version, WriterOptions options) {
        this(dataSet, version, options, Optional.empty());
    }

    /** Creates a writer with a listener. */
    public DataSetWriter(DataSet dataSet, Version version, WriterOptions options, Listener listener) {
        this(dataSet, version, options, Optional.of(listener));
    }

    private DataSetWriter(DataSet dataSet, Version version, WriterOptions options, Optional<Listener> listener) {
        this.listener = listener;
        this.dataSet = dataSet;
        this.version = version;
        this.options = options;
        this.clusterings = IntStream.range(0, dataSet.rowsPerPartition())
                .mapToObj(row -> ClusteringPrefix.row(Bytes.ofInt(row)))
                .toList();
    }

    /** {@link #write(Path, List, int, int)} of the whole ring, with ids from 1. */
    public List<Descriptor> write(Path directory, int sstables) throws IOException {
        return write(directory, List.of(TokenRange.FULL), sstables, 1);
    }

    /**
     * Writes the partitions in {@code ranges} to {@code directory}.
     *
     * @param ranges disjoint; no SSTable crosses the end of one
     * @param sstables how many, of about equal length; there may be more, as each range has its own
     * @param firstId sequence number of the first
     * @return the SSTables written, ascending by token
     */
    public List<Descriptor> write(Path directory, List<TokenRange> ranges, int sstables, int firstId)
            throws IOException {
        List<Descriptor> written = new ArrayList<>();
        KeysByToken keys = new KeysByToken(dataSet, TokenRanges.of(ranges));
        boolean hasKey = keys.advance();
        for (long end : SSTableEnds.of(ranges, sstables)) {
            if (hasKey && keys.token() <= end) {
                Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(firstId + written.size()));
                hasKey = writeUntil(end, keys, directory, descriptor);
                written.add(descriptor);
                if (listener.isPresent()) {
                    listener.get().sstable(descriptor);
                }
            }
        }
        return List.copyOf(written);
    }

    private boolean writeUntil(long end, KeysByToken keys, Path directory, Descriptor descriptor) throws IOException {
        try (SSTableWriter writer = SSTableWriter.create(directory, descriptor, dataSet.header(), options)) {
            boolean hasKey = true;
            while (hasKey && keys.token() <= end) {
                writePartition(keys, writer);
                hasKey = keys.advance();
            }
            writer.finish();
            return hasKey;
        }
    }

    private void writePartition(KeysByToken keys, SSTableWriter writer) throws IOException {
        long partition = keys.partition();
        long timestamp = dataSet.timestamp(partition);
        PartitionHeader header = PartitionHeader.of(keys.key());
        List<Row> rows = new ArrayList<>(clusterings.size());
        writer.start(header);
        for (int number = 0; number < clusterings.size(); number++) {
            Cell cell = Cell.of(DataSet.VALUE, timestamp, dataSet.value(partition, number));
            Row row = Row.inserted(clusterings.get(number), timestamp, List.of(cell));
            writer.add(row);
            rows.add(row);
        }
        writer.end();
        if (listener.isPresent()) {
            listener.get().partition(Partition.of(header, rows));
        }
    }
}
