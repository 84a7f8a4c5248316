package io.sluice.sstable.data;

import java.util.List;

/**
 * The cells of a multi-cell column, sorted by path, and the deletion of all older ones. Immutable.
 *
 * @param deletion {@link DeletionTime#LIVE} if there is none
 */
public record ComplexColumn(Column column, DeletionTime deletion, List<Cell> cells) implements ColumnData {
    public ComplexColumn {
        cells = List.copyOf(cells);
    }
}
