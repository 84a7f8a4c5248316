package io.sluice.sstable.data;

/** The data of a row in one of its columns: a {@link Cell}, or the {@link ComplexColumn} of a multi-cell one. */
public sealed interface ColumnData permits Cell, ComplexColumn {
    Column column();
}
