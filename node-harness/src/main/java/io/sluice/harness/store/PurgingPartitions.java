package io.sluice.harness.store;

import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.ComplexColumn;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Liveness;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.key.PartitionKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Partitions without tombstones, and expired cells, that are no longer needed: they are older than the table's
 * gc_grace_seconds, and nothing that they delete can be anywhere else on this node, or on its way here. Not
 * thread-safe: confined to one reader.
 */
final class PurgingPartitions implements PartitionSource {
    /** The answer of a {@code keepFrom} for a partition of which nothing may be forgotten. */
    static final long KEEP_ALL = Long.MIN_VALUE;

    private final PartitionSource source;
    private final long graceEndSeconds;
    private final ToLongFunction<PartitionKey> keepFrom;
    private final PurgedTokens purged = new PurgedTokens();

    /**
     * Filters {@code source}, which is closed with this.
     *
     * @param graceEndSeconds tombstones from before this second are older than gc_grace_seconds
     * @param keepFrom for each partition, the lowest timestamp that data elsewhere may have: tombstones from there on
     *     are kept
     */
    PurgingPartitions(PartitionSource source, long graceEndSeconds, ToLongFunction<PartitionKey> keepFrom) {
        this.source = source;
        this.graceEndSeconds = graceEndSeconds;
        this.keepFrom = keepFrom;
    }

    /** Where something was forgotten until now. */
    PurgedTokens purged() {
        return purged;
    }

    @Override
    public Optional<Partition> next() throws IOException {
        for (Optional<Partition> next = source.next(); next.isPresent(); next = source.next()) {
            long limit = keepFrom.applyAsLong(next.get().header().key());
            if (limit == KEEP_ALL) {
                return next;
            }
            Purging partition = new Purging(next.get(), limit);
            if (!partition.isEmpty()) {
                return Optional.of(partition);
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        source.close();
    }

    /** One partition; looks one item ahead, as one that has nothing left is none. */
    private final class Purging implements Partition {
        private final Partition whole;
        private final long limit;
        private final PartitionHeader header;
        private Optional<Unfiltered> ahead;

        Purging(Partition whole, long limit) throws IOException {
            this.whole = whole;
            this.limit = limit;
            PartitionHeader old = whole.header();
            this.header = new PartitionHeader(old.key(), kept(old.deletion()), kept(old.staticRow()));
            this.ahead = read();
        }

        boolean isEmpty() {
            return ahead.isEmpty()
                    && header.deletion().isLive()
                    && header.staticRow().isEmpty();
        }

        @Override
        public PartitionHeader header() {
            return header;
        }

        @Override
        public Optional<Unfiltered> next() throws IOException {
            Optional<Unfiltered> next = ahead;
            ahead = next.isPresent() ? read() : next;
            return next;
        }

        private Optional<Unfiltered> read() throws IOException {
            for (Optional<Unfiltered> item = whole.next(); item.isPresent(); item = whole.next()) {
                if (item.get() instanceof Marker marker) {
                    DeletionTime ending = kept(marker.ending());
                    DeletionTime starting = kept(marker.starting());
                    if (!ending.isLive() || !starting.isLive()) {
                        return Optional.of(Marker.at(marker.clustering(), ending, starting));
                    }
                } else if (item.get() instanceof Row row) {
                    Row kept = kept(row);
                    if (!kept.isEmpty()) {
                        return Optional.of(kept);
                    }
                }
            }
            return Optional.empty();
        }

        private boolean isPurgeable(long timestamp, long localDeletionTime) {
            boolean is = localDeletionTime < graceEndSeconds && timestamp < limit;
            if (is) {
                purged.add(whole.header().key().token());
            }
            return is;
        }

        private DeletionTime kept(DeletionTime deletion) {
            boolean isGone = !deletion.isLive() && isPurgeable(deletion.timestamp(), deletion.localDeletionTime());
            return isGone ? DeletionTime.LIVE : deletion;
        }

        private Row kept(Row row) {
            Liveness liveness = row.liveness();
            boolean hasExpired =
                    liveness.isExpiring() && isPurgeable(liveness.timestamp(), liveness.localDeletionTime());
            List<ColumnData> columns = new ArrayList<>(row.columns().size());
            for (ColumnData data : row.columns()) {
                if (data instanceof ComplexColumn complex) {
                    ComplexColumn kept = kept(complex);
                    if (!kept.deletion().isLive() || !kept.cells().isEmpty()) {
                        columns.add(kept);
                    }
                } else if (data instanceof Cell cell && !isGone(cell)) {
                    columns.add(cell);
                }
            }
            DeletionTime deletion = kept(row.deletion());
            return new Row(
                    row.clustering(),
                    hasExpired ? Liveness.NONE : liveness,
                    deletion,
                    row.isShadowable() && !deletion.isLive(),
                    columns);
        }

        private ComplexColumn kept(ComplexColumn complex) {
            List<Cell> cells =
                    complex.cells().stream().filter(cell -> !isGone(cell)).toList();
            return new ComplexColumn(complex.column(), kept(complex.deletion()), cells);
        }

        private boolean isGone(Cell cell) {
            return (cell.isTombstone() || cell.isExpiring()) && isPurgeable(cell.timestamp(), cell.localDeletionTime());
        }
    }
}
