package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.metadata.CommitLogCoverage;
import io.sluice.sstable.metadata.CompactionState;
import io.sluice.sstable.metadata.CoveredClusterings;
import io.sluice.sstable.metadata.Histogram;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.metadata.TimeBounds;
import io.sluice.sstable.type.CqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Collects the content of the component STATS while the rows of an SSTable are written. Bounds are exact. Not
 * thread-safe: confined to its writer.
 */
final class ContentStatistics {
    private final Version version;
    private final SerializationHeader header;
    private final ClusteringCodec clusterings;
    private final ClusteringOrder order;
    private final Histogram.Builder partitionLengths;
    private final Histogram.Builder cellCounts = new Histogram.Builder(Histogram.CELL_LIMITS);
    private final DropTimesBuilder dropTimes;
    private final Bounds timestamps = new Bounds();
    private final Bounds localDeletionTimes = new Bounds();
    private final Bounds ttls = new Bounds();
    private @Nullable ClusteringPrefix least;
    private @Nullable ClusteringPrefix greatest;
    private @Nullable Unfiltered lastItem;
    private boolean hasPartitionDeletions;
    private boolean hasLegacyCounterShards;
    private long rows;
    private long columnsSet;
    private long cellsInPartition;
    private Bytes firstKey = Bytes.EMPTY;
    private Bytes lastKey = Bytes.EMPTY;

    ContentStatistics(Version version, SerializationHeader header) {
        this.version = version;
        this.header = header;
        this.clusterings = new ClusteringCodec(header.clusteringTypes());
        this.order = new ClusteringOrder(header.clusteringTypes());
        this.partitionLengths = Histogram.Builder.ofLengths(version);
        this.dropTimes = new DropTimesBuilder(version);
    }

    private static final class Bounds {
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;

        void add(long number) {
            min = Math.min(min, number);
            max = Math.max(max, number);
        }
    }

    void start(PartitionHeader partition) {
        firstKey = firstKey.isEmpty() ? partition.key().bytes() : firstKey;
        lastKey = partition.key().bytes();
        cellsInPartition = 0;
        lastItem = null;
        addDeletion(partition.deletion());
        hasPartitionDeletions |= !partition.deletion().isLive();
        if (!partition.staticRow().isEmpty()) {
            addRow(partition.staticRow());
        }
    }

    void add(Unfiltered item) {
        if (lastItem == null && (least == null || order.compare(item.clustering(), least) < 0)) {
            least = item.clustering();
        }
        lastItem = item;
        if (item instanceof Row row) {
            addRow(row);
        } else if (item instanceof Marker marker) {
            addDeletion(marker.ending());
            addDeletion(marker.starting());
        }
    }

    void finish(long partitionLength) {
        if (lastItem != null && (greatest == null || order.compare(lastItem.clustering(), greatest) > 0)) {
            greatest = lastItem.clustering();
        }
        partitionLengths.add(partitionLength);
        cellCounts.add(cellsInPartition);
    }

    private void addRow(Row row) {
        rows++;
        if (!row.liveness().isNone()) {
            addTimes(
                    row.liveness().timestamp(),
                    row.liveness().ttl(),
                    row.liveness().localDeletionTime());
        }
        addDeletion(row.deletion());
        for (ColumnData data : row.columns()) {
            if (data instanceof Cell cell) {
                columnsSet++;
                addCell(cell);
            } else if (data instanceof ComplexColumn complex) {
                columnsSet += complex.cells().isEmpty() ? 0 : 1;
                addDeletion(complex.deletion());
                complex.cells().forEach(this::addCell);
            }
        }
    }

    private void addCell(Cell cell) {
        cellsInPartition++;
        addTimes(cell.timestamp(), cell.ttl(), cell.localDeletionTime());
        hasLegacyCounterShards |= cell.column().type() == CqlType.Scalar.COUNTER
                && !cell.isTombstone()
                && CounterContext.isLegacy(cell.value());
    }

    private void addDeletion(DeletionTime deletion) {
        if (!deletion.isLive()) {
            timestamps.add(deletion.timestamp());
            addLocalDeletionTime(deletion.localDeletionTime());
        }
    }

    private void addTimes(long timestamp, int ttl, long localDeletionTime) {
        timestamps.add(timestamp);
        ttls.add(ttl);
        addLocalDeletionTime(localDeletionTime);
    }

    private void addLocalDeletionTime(long localDeletionTime) {
        localDeletionTimes.add(localDeletionTime);
        if (localDeletionTime != DeletionTime.NEVER) {
            dropTimes.add(localDeletionTime);
        }
    }

    /** The component STATS of an SSTable without commit log positions. */
    Stats build(double compressionRatio, CompactionState placement) {
        var distributions = new Stats.Distributions(
                partitionLengths.build(), cellCounts.build(), dropTimes.build(), compressionRatio);
        Optional<Stats.KeyCoverage> keys = version.hasBoundsInStatistics()
                ? Optional.of(new Stats.KeyCoverage(hasPartitionDeletions, firstKey, lastKey, Double.NaN))
                : Optional.empty();
        return new Stats(
                distributions,
                CommitLogCoverage.NONE,
                timeBounds(),
                placement,
                new Stats.Content(coveredClusterings(), hasLegacyCounterShards, columnsSet, rows, keys));
    }

    private TimeBounds timeBounds() {
        boolean hasTimes = timestamps.min <= timestamps.max;
        long never = TimeBounds.noDeletionTime(version);
        return new TimeBounds(
                hasTimes
                        ? new TimeBounds.Bounds(timestamps.min, timestamps.max)
                        : new TimeBounds.Bounds(Long.MIN_VALUE, Long.MAX_VALUE),
                hasTimes
                        ? new TimeBounds.Bounds(
                                Math.min(localDeletionTimes.min, never), Math.min(localDeletionTimes.max, never))
                        : new TimeBounds.Bounds(never, never),
                ttls.min <= ttls.max ? new TimeBounds.Bounds(ttls.min, ttls.max) : new TimeBounds.Bounds(0, 0));
    }

    private CoveredClusterings coveredClusterings() {
        ClusteringPrefix from = least == null ? ClusteringPrefix.row() : least;
        ClusteringPrefix to = greatest == null ? ClusteringPrefix.row() : greatest;
        if (!version.hasBoundsInStatistics()) {
            return new CoveredClusterings.Prefixes(values(from), values(to));
        }
        return new CoveredClusterings.Bounds(
                header.clusteringTypes().stream().map(CqlType::className).toList(),
                encoded(from.as(ClusteringPrefix.Kind.INCLUSIVE_START)),
                encoded(to.as(ClusteringPrefix.Kind.INCLUSIVE_END)));
    }

    private Bytes encoded(ClusteringPrefix bound) {
        GrowingBuffer out = new GrowingBuffer();
        clusterings.writeBound(bound, out);
        return out.toBytes();
    }

    /** The values before the first null, which this format cannot express. */
    private static List<Bytes> values(ClusteringPrefix prefix) {
        List<Bytes> values = new ArrayList<>();
        for (int i = 0; i < prefix.length() && !prefix.isNull(i); i++) {
            values.add(prefix.value(i));
        }
        return values;
    }
}
