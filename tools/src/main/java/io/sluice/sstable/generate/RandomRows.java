package io.sluice.sstable.generate;

import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.ClusteringPrefix.Kind;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.ComplexColumn;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Liveness;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.type.CqlType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Generates the rows and markers of one partition. */
final class RandomRows {
    static final long FIRST_SECOND = 1_700_000_000L;
    static final long FIRST_TIMESTAMP = FIRST_SECOND * 1_000_000;

    private static final int SECONDS = 1000;
    private static final int MAX_TTL = 1_000_000;
    private static final double EXPIRING = 0.1;
    private static final double PRESENT = 0.8;

    private final SerializationHeader header;
    private final RandomTable.Shape shape;
    private final SplittableRandom random;
    private final RandomValues values;

    RandomRows(SerializationHeader header, RandomTable.Shape shape, SplittableRandom random) {
        this.header = header;
        this.shape = shape;
        this.random = random;
        this.values = new RandomValues(random);
    }

    /** Rows and markers in order; every range that starts also ends. */
    List<Unfiltered> items() {
        TreeSet<ClusteringPrefix> places = new TreeSet<>(new ClusteringOrder(header.clusteringTypes()));
        for (int left = 1 + random.nextInt(shape.maxRows()); left > 0; left--) {
            places.add(place());
        }
        List<Unfiltered> items = new ArrayList<>();
        DeletionTime open = DeletionTime.LIVE;
        for (ClusteringPrefix place : places) {
            if (place.kind() == Kind.ROW) {
                items.add(row(place));
            } else {
                DeletionTime starting = open.isLive() || random.nextBoolean() ? deletion() : DeletionTime.LIVE;
                items.add(Marker.at(place, open, starting));
                open = starting;
            }
        }
        if (!open.isLive()) {
            items.add(Marker.at(ClusteringPrefix.of(Kind.INCLUSIVE_END, List.of()), open, DeletionTime.LIVE));
        }
        return items;
    }

    /** The clustering of a row, or occasionally a bound where a range may start or end. */
    private ClusteringPrefix place() {
        List<Bytes> row = new ArrayList<>();
        for (CqlType type : header.clusteringTypes()) {
            boolean mayBeEmpty = type.plain() == CqlType.Scalar.TEXT || type.plain() == CqlType.Scalar.BLOB;
            row.add(mayBeEmpty && random.nextInt(20) == 0 ? Bytes.EMPTY : values.next(type));
        }
        boolean isBound = !row.isEmpty() && happens(shape.deletions());
        if (!isBound) {
            return ClusteringPrefix.of(Kind.ROW, row);
        }
        Kind kind = random.nextBoolean() ? Kind.INCLUSIVE_START : Kind.EXCLUSIVE_START;
        return ClusteringPrefix.of(kind, row.subList(0, 1 + random.nextInt(row.size())));
    }

    Row row(ClusteringPrefix place) {
        boolean isStatic = place.kind() == Kind.STATIC;
        List<Column> columns = header.columns(isStatic);
        boolean isCounter = columns.stream().anyMatch(column -> column.type() == CqlType.Scalar.COUNTER);
        Liveness liveness = isStatic || isCounter || !happens(PRESENT) ? Liveness.NONE : liveness();
        List<ColumnData> data = new ArrayList<>();
        for (Column column : columns) {
            if (happens(PRESENT)) {
                data.add(columnData(column, liveness));
            }
        }
        boolean isDeleted = !isStatic && (happens(shape.deletions()) || (liveness.isNone() && data.isEmpty()));
        return new Row(place, liveness, isDeleted ? deletion() : DeletionTime.LIVE, false, data);
    }

    private Liveness liveness() {
        long timestamp = timestamp();
        if (!happens(EXPIRING)) {
            return Liveness.at(timestamp);
        }
        int ttl = 1 + random.nextInt(MAX_TTL);
        return new Liveness(timestamp, ttl, timestamp / 1_000_000 + ttl);
    }

    private ColumnData columnData(Column column, Liveness liveness) {
        if (!column.isMultiCell()) {
            return cell(column, Bytes.EMPTY, column.type(), liveness);
        }
        List<Cell> cells = new ArrayList<>();
        for (Bytes path : paths(column.type())) {
            cells.add(cell(column, path, elementType(column.type(), path), liveness));
        }
        DeletionTime deletion = cells.isEmpty() || happens(shape.deletions()) ? deletion() : DeletionTime.LIVE;
        return new ComplexColumn(column, deletion, cells);
    }

    private Collection<Bytes> paths(CqlType type) {
        int count = random.nextInt(5);
        if (type instanceof CqlType.ListOf) {
            return values.distinct(CqlType.Scalar.TIMEUUID, count);
        }
        if (type instanceof CqlType.SetOf set) {
            return values.distinct(set.element(), count);
        }
        if (type instanceof CqlType.MapOf map) {
            return values.distinct(map.key(), count);
        }
        List<Bytes> fields = new ArrayList<>();
        for (int field = 0; field < ((CqlType.UserType) type).fields().size(); field++) {
            if (random.nextBoolean()) {
                fields.add(new GrowingBuffer().putShort(field).toBytes());
            }
        }
        return fields;
    }

    private static CqlType elementType(CqlType type, Bytes path) {
        if (type instanceof CqlType.ListOf list) {
            return list.element();
        }
        if (type instanceof CqlType.MapOf map) {
            return map.value();
        }
        return type instanceof CqlType.UserType user
                ? user.fields().get(path.asBuffer().getShort()).type()
                : CqlType.Scalar.EMPTY;
    }

    private Cell cell(Column column, Bytes path, CqlType valueType, Liveness liveness) {
        long timestamp = !liveness.isNone() && random.nextBoolean() ? liveness.timestamp() : timestamp();
        long second = timestamp / 1_000_000;
        if (happens(shape.deletions())) {
            return new Cell(column, path, timestamp, 0, second, Bytes.EMPTY);
        }
        boolean isCounter = valueType == CqlType.Scalar.COUNTER;
        boolean takesRowTtl = liveness.isExpiring() && timestamp == liveness.timestamp();
        int ttl = takesRowTtl ? liveness.ttl() : !isCounter && happens(EXPIRING) ? 1 + random.nextInt(MAX_TTL) : 0;
        long expiry = ttl == 0 ? DeletionTime.NEVER : second + ttl;
        return new Cell(column, path, timestamp, ttl, expiry, values.next(valueType));
    }

    DeletionTime maybeDeletion() {
        return happens(shape.deletions()) ? deletion() : DeletionTime.LIVE;
    }

    private DeletionTime deletion() {
        long timestamp = timestamp();
        return new DeletionTime(timestamp, timestamp / 1_000_000);
    }

    private long timestamp() {
        return FIRST_TIMESTAMP + random.nextInt(SECONDS * 1_000_000);
    }

    private boolean happens(double share) {
        return random.nextDouble() < share;
    }
}
