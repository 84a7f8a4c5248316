package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;

/**
 * A named, typed column of rows. Ordered as on disk: simple columns before multi-cell ones, each by name. Immutable.
 *
 * @param name UTF-8 as a rule; tables made by old clients have any bytes here
 */
public record Column(Bytes name, CqlType type) implements Comparable<Column> {

    public static Column of(String name, CqlType type) {
        return new Column(Bytes.utf8(name), type);
    }

    /** Whether the column has a cell per element. */
    public boolean isMultiCell() {
        return type.isMultiCell();
    }

    @Override
    public int compareTo(Column other) {
        int bySort = Boolean.compare(isMultiCell(), other.isMultiCell());
        return bySort != 0 ? bySort : name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return name.utf8();
    }
}
