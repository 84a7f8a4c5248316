package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.type.CqlType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects what the component STATS says about the rows of an SSTable, while they are written. Bounds are those of the
 * content exactly. Not thread-safe: confined to its writer.
 */
final class ContentStatistics {
    private static final int CELL_HISTOGRAM_LIMITS = 118;

    private final Version version;
    private final SerializationHeader header;
    private final ClusteringCodec clusterings;
    private final ClusteringOrder order;
    private final Histogram partitionLengths;
    private final Histogram cellCounts = new Histogram(CELL_HISTOGRAM_LIMITS);
    private final DropTimes dropTimes;
    private final Bounds timestamps = new Bounds();
    private final Bounds localDeletionTimes = new Bounds();
    private final Bounds ttls = new Bounds();
    private @Nullable ClusteringPrefix least;
    private @Nullable ClusteringPrefix greatest;
    private @Nullable Unfiltered lastItem;
    private boolean hasPartitionDeletions;
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
        this.partitionLengths = new Histogram(version.isFiveZero() ? 155 : 150);
        this.dropTimes = new DropTimes(version.isFiveZero());
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
        firstKey = firstKey.isEmpty() ? partition.key() : firstKey;
        lastKey = partition.key();
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

    /** The component STATS of an SSTable that belongs to no level, repair or commit log. */
    Bytes toBytes(double compressionRatio) {
        GrowingBuffer out = new GrowingBuffer();
        partitionLengths.writeTo(out);
        cellCounts.writeTo(out);
        writeNoCommitLogPosition(out);
        writeTimes(out);
        out.putLong(Double.doubleToRawLongBits(compressionRatio));
        dropTimes.writeTo(out);
        out.putInt(0).putLong(0); // level, repaired at
        writeClusterings(out);
        out.putByte(0); // no legacy counter shards
        out.putLong(columnsSet).putLong(rows);
        writeNoCommitLogPosition(out);
        out.putInt(0); // commit log intervals
        out.putByte(0).putByte(0).putByte(0); // no pending repair, not transient, no originating host
        if (version.isFiveZero()) {
            out.putByte(hasPartitionDeletions ? 1 : 0);
            out.putVIntBytes(firstKey).putVIntBytes(lastKey);
            out.putLong(Double.doubleToRawLongBits(Double.NaN)); // token space coverage: not known
        }
        return out.toBytes();
    }

    private static void writeNoCommitLogPosition(GrowingBuffer out) {
        out.putLong(-1).putInt(0);
    }

    private void writeTimes(GrowingBuffer out) {
        boolean hasTimes = timestamps.min <= timestamps.max;
        out.putLong(hasTimes ? timestamps.min : Long.MIN_VALUE).putLong(hasTimes ? timestamps.max : Long.MAX_VALUE);
        out.putInt(secondsToInt(localDeletionTimes.min))
                .putInt(secondsToInt(hasTimes ? localDeletionTimes.max : DeletionTime.NEVER));
        out.putInt(ttls.min <= ttls.max ? (int) ttls.min : 0).putInt((int) Math.max(0, ttls.max));
    }

    private int secondsToInt(long seconds) {
        if (version.isFiveZero()) {
            return seconds == DeletionTime.NEVER ? -1 : (int) seconds;
        }
        return (int) Math.min(seconds, Integer.MAX_VALUE);
    }

    private void writeClusterings(GrowingBuffer out) {
        List<CqlType> types = header.clusteringTypes();
        ClusteringPrefix from = least == null ? ClusteringPrefix.row() : least;
        ClusteringPrefix to = greatest == null ? ClusteringPrefix.row() : greatest;
        if (version.isFiveZero()) {
            out.putUnsignedVInt(types.size());
            types.forEach(type -> out.putVIntBytes(Bytes.utf8(type.className())));
            clusterings.writeBound(from.as(ClusteringPrefix.Kind.INCLUSIVE_START), out);
            clusterings.writeBound(to.as(ClusteringPrefix.Kind.INCLUSIVE_END), out);
        } else {
            writeValues(from, out);
            writeValues(to, out);
        }
    }

    /** The values until the first null one, which this form cannot express. */
    private static void writeValues(ClusteringPrefix prefix, GrowingBuffer out) {
        int count = 0;
        while (count < prefix.length() && !prefix.isNull(count)) {
            count++;
        }
        out.putInt(count);
        for (int i = 0; i < count; i++) {
            out.putShortBytes(prefix.value(i));
        }
    }
}
