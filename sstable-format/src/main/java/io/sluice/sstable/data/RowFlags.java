package io.sluice.sstable.data;

/** The bits of the flags bytes of the package's byte table. */
final class RowFlags {
    static final int END = 0x01;
    static final int MARKER = 0x02;
    static final int HAS_TIMESTAMP = 0x04;
    static final int HAS_TTL = 0x08;
    static final int HAS_DELETION = 0x10;
    static final int HAS_ALL_COLUMNS = 0x20;
    static final int HAS_COMPLEX_DELETION = 0x40;
    static final int EXTENDED = 0x80;

    static final int IS_STATIC = 0x01;
    static final int IS_SHADOWABLE = 0x02;

    static final int CELL_TOMBSTONE = 0x01;
    static final int CELL_EXPIRING = 0x02;
    static final int CELL_EMPTY = 0x04;
    static final int CELL_ROW_TIMESTAMP = 0x08;
    static final int CELL_ROW_TTL = 0x10;

    private RowFlags() {}
}
