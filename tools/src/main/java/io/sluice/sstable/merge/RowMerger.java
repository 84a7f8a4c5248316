package io.sluice.sstable.merge;

import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.ComplexColumn;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Liveness;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.ValueOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Merges the versions of one row from several SSTables by the rules of all replicas: the later timestamp wins; at equal
 * timestamps the tombstone wins, then the expiring cell, then the later expiry, then the greater value; a deletion
 * removes everything that is not newer. Nothing is expired or purged, so the result does not depend on the time of the
 * merge. Not thread-safe: caches the orders of paths.
 */
final class RowMerger {
    private static final Comparator<Liveness> LIVENESS_ORDER = Comparator.comparingLong(Liveness::timestamp)
            .thenComparing(liveness -> liveness.ttl() == Integer.MAX_VALUE) // already expired when it was written
            .thenComparing(Liveness::isExpiring)
            .thenComparingLong(Liveness::localDeletionTime)
            .thenComparingInt(Liveness::ttl);
    private static final Comparator<Cell> CELL_ORDER = Comparator.comparingLong(Cell::timestamp)
            .thenComparing(Cell::isTombstone)
            .thenComparing(Cell::isExpiring)
            .thenComparingLong(Cell::localDeletionTime)
            .thenComparing(Cell::value)
            .thenComparing(Comparator.comparingInt(Cell::ttl).reversed());

    private final Map<CqlType, Comparator<Bytes>> pathOrders = new HashMap<>();

    /**
     * Merges {@code rows}, all of one clustering; the result may be empty.
     *
     * @param covering deletion of the partition or range that contains the row
     */
    Row merge(List<Row> rows, DeletionTime covering) throws MalformedException {
        Row first = rows.get(0);
        Liveness liveness = first.liveness();
        Row deleter = first;
        for (Row row : rows.subList(1, rows.size())) {
            liveness = LIVENESS_ORDER.compare(row.liveness(), liveness) > 0 ? row.liveness() : liveness;
            deleter = row.deletion().supersedes(deleter.deletion()) ? row : deleter;
        }
        boolean isShadowed = deleter.isShadowable()
                && liveness.timestamp() > deleter.deletion().timestamp();
        boolean isDeleted = !isShadowed && deleter.deletion().supersedes(covering);
        DeletionTime deletion = isDeleted ? deleter.deletion() : DeletionTime.LIVE;
        DeletionTime active = isDeleted ? deletion : covering;
        return new Row(
                first.clustering(),
                active.deletes(liveness.timestamp()) ? Liveness.NONE : liveness,
                deletion,
                isDeleted && deleter.isShadowable(),
                mergeColumns(rows, active));
    }

    private List<ColumnData> mergeColumns(List<Row> rows, DeletionTime active) throws MalformedException {
        List<ColumnData> merged = new ArrayList<>();
        if (rows.size() == 1) {
            for (ColumnData data : rows.get(0).columns()) {
                addMerged(List.of(data), active, merged);
            }
            return merged;
        }
        Map<Column, List<ColumnData>> byColumn = new TreeMap<>();
        for (Row row : rows) {
            row.columns()
                    .forEach(data -> byColumn.computeIfAbsent(data.column(), column -> new ArrayList<>())
                            .add(data));
        }
        for (List<ColumnData> sameColumn : byColumn.values()) {
            addMerged(sameColumn, active, merged);
        }
        return merged;
    }

    private void addMerged(List<ColumnData> sameColumn, DeletionTime active, List<ColumnData> merged)
            throws MalformedException {
        if (sameColumn.get(0) instanceof Cell) {
            addWinner(sameColumn, active, merged);
            return;
        }
        List<ComplexColumn> columns =
                sameColumn.stream().map(ComplexColumn.class::cast).toList();
        ComplexColumn column = mergeComplex(columns, active);
        if (!column.deletion().isLive() || !column.cells().isEmpty()) {
            merged.add(column);
        }
    }

    private ComplexColumn mergeComplex(List<ComplexColumn> columns, DeletionTime covering) throws MalformedException {
        DeletionTime deletion = DeletionTime.LIVE;
        for (ComplexColumn column : columns) {
            deletion = deletion.max(column.deletion());
        }
        boolean isDeleted = deletion.supersedes(covering);
        DeletionTime active = isDeleted ? deletion : covering;
        List<Cell> cells = new ArrayList<>();
        if (columns.size() == 1) {
            for (Cell cell : columns.get(0).cells()) {
                addWinner(List.of(cell), active, cells);
            }
        } else {
            for (List<Cell> samePath : byPath(columns).values()) {
                addWinner(samePath, active, cells);
            }
        }
        return new ComplexColumn(columns.get(0).column(), isDeleted ? deletion : DeletionTime.LIVE, cells);
    }

    private Map<Bytes, List<Cell>> byPath(List<ComplexColumn> columns) {
        CqlType type = columns.get(0).column().type();
        Map<Bytes, List<Cell>> byPath = new TreeMap<>(pathOrders.computeIfAbsent(type, ValueOrder::ofPaths));
        for (ComplexColumn column : columns) {
            column.cells()
                    .forEach(cell -> byPath.computeIfAbsent(cell.path(), path -> new ArrayList<>())
                            .add(cell));
        }
        return byPath;
    }

    /** Without a stream: for each value of a table that is read row by row. */
    private static void addWinner(List<? extends ColumnData> cells, DeletionTime active, List<? super Cell> merged)
            throws MalformedException {
        Cell winner = null;
        for (ColumnData data : cells) {
            Cell cell = (Cell) data;
            if (!active.deletes(cell.timestamp())) {
                Cell candidate = isCounter(cell) ? canonicalCounter(cell) : cell;
                winner = winner == null ? candidate : winner(winner, candidate);
            }
        }
        if (winner != null) {
            merged.add(winner);
        }
    }

    private static Cell winner(Cell a, Cell b) throws MalformedException {
        if (isCounter(a) && isCounter(b)) {
            Cell newer = a.timestamp() >= b.timestamp() ? a : b;
            CounterShards merged = CounterShards.parse(a.value()).merge(CounterShards.parse(b.value()));
            return withValue(newer, merged.toBytes());
        }
        return CELL_ORDER.compare(a, b) >= 0 ? a : b;
    }

    private static Cell canonicalCounter(Cell cell) throws MalformedException {
        return withValue(cell, CounterShards.parse(cell.value()).toBytes());
    }

    private static boolean isCounter(Cell cell) {
        return cell.column().type() == CqlType.Scalar.COUNTER && !cell.isTombstone();
    }

    private static Cell withValue(Cell cell, Bytes value) {
        return new Cell(cell.column(), cell.path(), cell.timestamp(), cell.ttl(), cell.localDeletionTime(), value);
    }
}
