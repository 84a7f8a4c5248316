package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;

/**
 * A value, expiring value or tombstone at a time. Immutable.
 *
 * @param path which element of a multi-cell column: list a time UUID, set the element, map the key, user type the field
 *     number; empty in simple columns
 * @param timestamp microseconds
 * @param ttl seconds; 0 if it does not expire
 * @param localDeletionTime second of deletion or expiry; {@link DeletionTime#NEVER} if neither
 * @param value empty in tombstones and in sets
 */
public record Cell(Column column, Bytes path, long timestamp, int ttl, long localDeletionTime, Bytes value)
        implements ColumnData {

    /** A value in a simple column that does not expire. */
    public static Cell of(Column column, long timestamp, Bytes value) {
        return new Cell(column, Bytes.EMPTY, timestamp, 0, DeletionTime.NEVER, value);
    }

    public boolean isExpiring() {
        return ttl != 0;
    }

    public boolean isTombstone() {
        return ttl == 0 && localDeletionTime != DeletionTime.NEVER;
    }
}
