package io.sluice.sstable.data;

import io.sluice.sstable.type.CqlType;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The rows of another node, without its local counter shards, which date from before Cassandra 2.1: if they were
 * copied, two nodes would consider them their own and count them twice. Not thread-safe: confined to one reader, which
 * closes it.
 */
public final class ForeignRows implements PartitionSource {
    private final PartitionSource source;

    private ForeignRows(PartitionSource source) {
        this.source = source;
    }

    /** Wraps {@code source}, which is closed with it. */
    public static PartitionSource of(PartitionSource source, SerializationHeader header) {
        boolean hasCounters = header.regularColumns().stream().anyMatch(ForeignRows::isCounter)
                || header.staticColumns().stream().anyMatch(ForeignRows::isCounter);
        return hasCounters ? new ForeignRows(source) : source;
    }

    private static boolean isCounter(Column column) {
        return column.type() == CqlType.Scalar.COUNTER;
    }

    @Override
    public Optional<Partition> next() throws IOException {
        return source.next().map(ForeignRows::foreign);
    }

    private static Partition foreign(Partition partition) {
        PartitionHeader own = partition.header();
        PartitionHeader header = new PartitionHeader(own.key(), own.deletion(), foreign(own.staticRow()));
        return new Partition() {
            @Override
            public PartitionHeader header() {
                return header;
            }

            @Override
            public Optional<Unfiltered> next() throws IOException {
                return partition.next().map(item -> item instanceof Row row ? foreign(row) : item);
            }
        };
    }

    private static Row foreign(Row row) {
        List<ColumnData> columns = row.columns().stream()
                .map(data -> data instanceof Cell cell && isCounter(cell.column()) ? foreign(cell) : data)
                .toList();
        return new Row(row.clustering(), row.liveness(), row.deletion(), row.isShadowable(), columns);
    }

    private static ColumnData foreign(Cell cell) {
        return new Cell(
                cell.column(),
                cell.path(),
                cell.timestamp(),
                cell.ttl(),
                cell.localDeletionTime(),
                CounterContext.withoutLocal(cell.value()));
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
