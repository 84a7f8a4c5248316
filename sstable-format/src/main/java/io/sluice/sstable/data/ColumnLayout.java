package io.sluice.sstable.data;

import io.sluice.sstable.type.CqlType;
import java.util.List;

/** The columns that rows may have, and how their values are delimited. Immutable. */
final class ColumnLayout {
    static final ColumnLayout NONE = new ColumnLayout(List.of());

    private final Column[] columns;
    private final boolean[] multiCell;
    private final int[] fixedLengths;

    ColumnLayout(List<Column> columns) {
        this.columns = columns.toArray(Column[]::new);
        this.multiCell = new boolean[columns.size()];
        this.fixedLengths = new int[columns.size()];
        for (int i = 0; i < multiCell.length; i++) {
            CqlType type = columns.get(i).type();
            multiCell[i] = type.isMultiCell();
            fixedLengths[i] = type.isMultiCell() ? -1 : type.fixedLength().orElse(-1);
        }
    }

    int size() {
        return columns.length;
    }

    boolean isEmpty() {
        return columns.length == 0;
    }

    Column column(int index) {
        return columns[index];
    }

    boolean isMultiCell(int index) {
        return multiCell[index];
    }

    /** The length of every value that is not empty, or -1 if each value has a length prefix. */
    int fixedLength(int index) {
        return fixedLengths[index];
    }
}
