package io.sluice.sstable.data;

import java.util.BitSet;
import java.util.List;

/** Finds the header's indexes of the columns of a row. Not thread-safe: confined to its encoder. */
final class ColumnPlaces {
    private final List<Column> columns;
    private final boolean hasMultiCell;
    private final Column[] known; // per index, the object that was equal the last time: usually the same again
    private final BitSet present = new BitSet();

    ColumnPlaces(List<Column> columns) {
        this.columns = columns;
        this.hasMultiCell = columns.stream().anyMatch(Column::isMultiCell);
        this.known = columns.toArray(Column[]::new);
    }

    /** Number of columns of the header. */
    int size() {
        return known.length;
    }

    boolean hasMultiCell() {
        return hasMultiCell;
    }

    /** The indexes of the columns of the last row. */
    BitSet present() {
        return present;
    }

    /**
     * Finds the indexes of the columns of {@code row}.
     *
     * @throws IllegalArgumentException if a column is not in the header, or not in its order
     */
    void find(List<ColumnData> row) {
        present.clear();
        int at = 0;
        for (int i = 0; i < row.size(); i++) {
            Column column = row.get(i).column();
            while (at < known.length && !isAt(at, column)) {
                at++;
            }
            if (at == known.length) {
                throw new IllegalArgumentException(
                        "column " + column + " (expected: one of " + columns + ", in this order)");
            }
            present.set(at++);
        }
    }

    @SuppressWarnings("ReferenceEquality") // on purpose: a fast check before equals
    private boolean isAt(int place, Column column) {
        if (known[place] == column) {
            return true;
        }
        if (!columns.get(place).equals(column)) {
            return false;
        }
        known[place] = column;
        return true;
    }
}
