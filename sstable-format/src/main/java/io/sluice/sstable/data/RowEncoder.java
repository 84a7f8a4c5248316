package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.VInts;
import io.sluice.sstable.type.Values;
import java.util.List;

/** Encodes rows and markers. Not thread-safe: confined to its writer. */
final class RowEncoder {
    private final ClusteringCodec clusterings;
    private final Times times;
    private final ColumnPlaces staticPlaces;
    private final ColumnPlaces regularPlaces;
    private final GrowingBuffer body = new GrowingBuffer();

    RowEncoder(Version version, SerializationHeader header) {
        this.staticPlaces = new ColumnPlaces(header.staticColumns());
        this.regularPlaces = new ColumnPlaces(header.regularColumns());
        this.clusterings = new ClusteringCodec(header.clusteringTypes());
        this.times = new Times(version, header.base());
    }

    Times times() {
        return times;
    }

    ClusteringCodec clusterings() {
        return clusterings;
    }

    /** Appends the header of a partition. */
    void writeHeader(PartitionHeader partition, GrowingBuffer out) {
        out.putShortBytes(partition.key().bytes());
        times.writeFullDeletion(partition.deletion(), out);
        if (staticPlaces.size() > 0) {
            write(partition.staticRow(), 0, out);
        } else if (!partition.staticRow().isEmpty()) {
            throw new IllegalArgumentException(
                    "static row " + partition.staticRow() + " (expected: no static columns)");
        }
    }

    /** Appends {@code item}, whose predecessor began {@code distance} bytes earlier. */
    void write(Unfiltered item, long distance, GrowingBuffer out) {
        if (item instanceof Row row) {
            writeRow(row, distance, out);
        } else if (item instanceof Marker marker) {
            writeMarker(marker, distance, out);
        } else {
            throw new AssertionError("no rule for " + item);
        }
    }

    private void writeMarker(Marker marker, long distance, GrowingBuffer out) {
        out.putByte(RowFlags.MARKER);
        clusterings.writeBound(marker.clustering(), out);
        body.clear();
        if (marker.clustering().kind().isEnd()) {
            times.writeDeletion(marker.ending(), body);
        }
        if (marker.clustering().kind().isStart()) {
            times.writeDeletion(marker.starting(), body);
        }
        writeBody(distance, out);
    }

    private void writeRow(Row row, long distance, GrowingBuffer out) {
        ColumnPlaces places = row.isStatic() ? staticPlaces : regularPlaces;
        places.find(row.columns());
        boolean hasAllColumns = row.columns().size() == places.size();
        boolean hasComplexDeletion = places.hasMultiCell() && hasComplexDeletion(row.columns());
        boolean isExtended = row.isStatic() || row.isShadowable();
        out.putByte(flag(!row.liveness().isNone(), RowFlags.HAS_TIMESTAMP)
                | flag(row.liveness().isExpiring(), RowFlags.HAS_TTL)
                | flag(!row.deletion().isLive(), RowFlags.HAS_DELETION)
                | flag(hasAllColumns, RowFlags.HAS_ALL_COLUMNS)
                | flag(hasComplexDeletion, RowFlags.HAS_COMPLEX_DELETION)
                | flag(isExtended, RowFlags.EXTENDED));
        if (isExtended) {
            out.putByte(flag(row.isStatic(), RowFlags.IS_STATIC) | flag(row.isShadowable(), RowFlags.IS_SHADOWABLE));
        }
        if (!row.isStatic()) {
            clusterings.writeValues(row.clustering(), out);
        }
        body.clear();
        writeTimes(row);
        if (!hasAllColumns) {
            ColumnSubset.write(places.present(), places.size(), body);
        }
        for (int i = 0; i < row.columns().size(); i++) { // an iterator would be an object per row
            writeColumn(row.columns().get(i), row.liveness(), hasComplexDeletion);
        }
        writeBody(distance, out);
    }

    private void writeTimes(Row row) {
        if (!row.liveness().isNone()) {
            times.writeTimestamp(row.liveness().timestamp(), body);
            if (row.liveness().isExpiring()) {
                times.writeTtl(row.liveness().ttl(), body);
                times.writeLocalDeletionTime(row.liveness().localDeletionTime(), body);
            }
        }
        if (!row.deletion().isLive()) {
            times.writeDeletion(row.deletion(), body);
        }
    }

    private static boolean hasComplexDeletion(List<ColumnData> columns) {
        for (ColumnData data : columns) {
            if (data instanceof ComplexColumn complex && !complex.deletion().isLive()) {
                return true;
            }
        }
        return false;
    }

    private void writeColumn(ColumnData data, Liveness liveness, boolean hasComplexDeletion) {
        if (data instanceof ComplexColumn complex) {
            if (hasComplexDeletion) {
                times.writeDeletion(complex.deletion(), body);
            }
            body.putUnsignedVInt(complex.cells().size());
            for (Cell cell : complex.cells()) {
                writeCell(cell, liveness);
            }
        } else if (data instanceof Cell cell) {
            writeCell(cell, liveness);
        }
    }

    private void writeCell(Cell cell, Liveness liveness) {
        boolean usesRowTimestamp = !liveness.isNone() && cell.timestamp() == liveness.timestamp();
        boolean usesRowTtl = cell.isExpiring()
                && cell.ttl() == liveness.ttl()
                && cell.localDeletionTime() == liveness.localDeletionTime();
        body.putByte(flag(cell.isTombstone(), RowFlags.CELL_TOMBSTONE)
                | flag(cell.isExpiring(), RowFlags.CELL_EXPIRING)
                | flag(cell.value().isEmpty(), RowFlags.CELL_EMPTY)
                | flag(usesRowTimestamp, RowFlags.CELL_ROW_TIMESTAMP)
                | flag(usesRowTtl, RowFlags.CELL_ROW_TTL));
        if (!usesRowTimestamp) {
            times.writeTimestamp(cell.timestamp(), body);
        }
        if ((cell.isTombstone() || cell.isExpiring()) && !usesRowTtl) {
            times.writeLocalDeletionTime(cell.localDeletionTime(), body);
        }
        if (cell.isExpiring() && !usesRowTtl) {
            times.writeTtl(cell.ttl(), body);
        }
        if (cell.column().isMultiCell()) {
            body.putVIntBytes(cell.path());
        }
        if (!cell.value().isEmpty()) {
            writeValue(cell);
        }
    }

    private void writeValue(Cell cell) {
        if (cell.column().isMultiCell()) {
            body.putVIntBytes(cell.value());
        } else {
            Values.write(cell.column().type(), cell.value(), body);
        }
    }

    private void writeBody(long distance, GrowingBuffer out) {
        out.putUnsignedVInt(body.length() + VInts.lengthOfUnsigned(distance));
        out.putUnsignedVInt(distance);
        out.put(body);
    }

    private static int flag(boolean isSet, int flag) {
        return isSet ? flag : 0;
    }
}
