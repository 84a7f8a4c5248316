package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ItemWindow;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.key.CurrentKey;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.TokenRanges;
import java.io.Closeable;
import java.io.IOException;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;

/**
 * Reads the rows of one SSTable in place, without allocating objects: its accessors return the current partition, item,
 * column and cell, and are valid until it moves on. {@link PartitionReader} reads rows as objects.
 *
 * <pre>{@code
 * while (cursor.nextPartition()) {
 *     while (cursor.nextItem()) {         // the static row first, then rows and markers
 *         while (cursor.nextColumn()) {   // none in markers
 *             while (cursor.nextCell()) {
 *                 total += cursor.valueLength();
 * }}}}
 * }</pre>
 *
 * <p>Skips everything that is not read. Memory is bounded by the longest row. Every method that moves throws
 * {@link io.sluice.sstable.component.SSTableException}, with file and position, if the bytes are malformed. Not
 * thread-safe: confined to one reader, which closes it. Long because partition, item, column and cell are states of one
 * reader: objects for them would be what it avoids.
 */
public final class RowCursor implements Closeable {
    private static final int NO_FLAGS = 0;

    private final DataReader data;
    private final ItemWindow in;
    private final SerializationHeader header;
    private final Times times;
    private final Iterator<Section> sections;
    private final Clustering clustering;
    private final ColumnLayout staticLayout;
    private final ColumnLayout regularLayout;
    private final BitSet present = new BitSet();

    private long sectionEnd;

    private final CurrentKey key = new CurrentKey();
    private DeletionTime partitionDeletion = DeletionTime.LIVE;
    private boolean isStaticNext;
    private boolean isInPartition;

    private int flags;
    private boolean isShadowable;
    private long timestamp;
    private int ttl;
    private long localDeletionTime;
    private DeletionTime deletion = DeletionTime.LIVE;
    private DeletionTime starting = DeletionTime.LIVE;

    private ColumnLayout layout;
    private int column;
    private DeletionTime columnDeletion = DeletionTime.LIVE;
    private long cellsLeft;

    private long cellTimestamp;
    private int cellTtl;
    private long cellLocalDeletionTime;
    private int pathOffset;
    private int pathLength;
    private int valueOffset;
    private int valueLength;

    /**
     * Reads {@code sections}, ascending, of {@code data}, which is closed with this.
     *
     * @param version and header of the SSTable that the data belongs to
     */
    public RowCursor(DataReader data, Version version, SerializationHeader header, List<Section> sections) {
        this.data = data;
        this.in = new ItemWindow(data.file(), data, data.lengthBytes());
        this.header = header;
        this.times = new Times(version, header.base());
        this.sections = sections.iterator();
        this.clustering = new Clustering(header.clusteringTypes());
        this.staticLayout = new ColumnLayout(header.staticColumns());
        this.regularLayout = new ColumnLayout(header.regularColumns());
        this.layout = ColumnLayout.NONE;
    }

    /** Reads the partitions of {@code sstable} in {@code ranges}. */
    public static RowCursor open(SSTable sstable, TokenRanges ranges) throws IOException {
        SerializationHeader header =
                SerializationHeader.parse(sstable.statistics().header());
        List<Section> sections = sstable.sections(ranges);
        return new RowCursor(sstable.openData(), sstable.descriptor().version(), header, sections);
    }

    /** The columns and types of the rows. */
    public SerializationHeader header() {
        return header;
    }

    /** The uncompressed position of the current partition or item. */
    public long position() {
        return in.itemPosition();
    }

    /** The uncompressed position after the last read byte. */
    long readPosition() {
        return in.position();
    }

    /** Goes to the next partition; false after the last. */
    public boolean nextPartition() throws IOException {
        while (isInPartition) {
            nextItem();
        }
        if (in.position() > sectionEnd) {
            throw in.malformed("partition ends here (expected: at " + sectionEnd + ")");
        }
        while (in.position() == sectionEnd) {
            if (!sections.hasNext()) {
                return false;
            }
            Section section = sections.next();
            sectionEnd = section.end();
            in.seek(section.start(), sectionEnd);
        }
        in.beginItem();
        key.read(in);
        partitionDeletion = times.readFullDeletion(in);
        isStaticNext = !staticLayout.isEmpty();
        isInPartition = true;
        return true;
    }

    /** A copy of the partition's key. */
    public PartitionKey key() {
        return key.copy();
    }

    /** The token of the partition. */
    public long token() {
        return key.token();
    }

    /** The deletion of the whole partition; {@link DeletionTime#LIVE} if there is none. */
    public DeletionTime partitionDeletion() {
        return partitionDeletion;
    }

    /**
     * Goes to the next item of the partition: its static row, if the table has static columns, then rows and markers;
     * false after the last. Skips rows that have neither times nor columns.
     */
    public boolean nextItem() throws IOException {
        do {
            if (!moveToItem()) {
                return false;
            }
        } while (skipsEmptyRow());
        return true;
    }

    private boolean skipsEmptyRow() throws IOException {
        boolean isEmpty = isEmptyRow();
        if (isEmpty) {
            requireEndOfBody(); // nothing hides behind it
        }
        return isEmpty;
    }

    /** A row without times and columns: padding of a slice. Readers of Cassandra do not return such rows either. */
    private boolean isEmptyRow() {
        return (flags & (RowFlags.MARKER | RowFlags.HAS_TIMESTAMP | RowFlags.HAS_DELETION)) == 0
                && kind() == ClusteringPrefix.Kind.ROW
                && ((flags & RowFlags.HAS_ALL_COLUMNS) == 0 ? present.isEmpty() : layout.isEmpty());
    }

    private boolean moveToItem() throws IOException {
        in.leaveBody();
        if (!isInPartition) {
            return false;
        }
        in.beginItem();
        flags = in.readByte();
        if (isStaticNext) {
            isStaticNext = false;
            readStaticRow();
            return true;
        }
        if ((flags & RowFlags.END) != 0) {
            isInPartition = false;
            layout = ColumnLayout.NONE;
            return false;
        }
        if ((flags & RowFlags.MARKER) != 0) {
            readMarker();
            return true;
        }
        int extended = (flags & RowFlags.EXTENDED) != 0 ? in.readByte() : NO_FLAGS;
        if ((extended & RowFlags.IS_STATIC) != 0) {
            throw in.malformed("static row among the rows (expected: only as the first)");
        }
        clustering.readRow(in);
        readRow(extended, regularLayout);
        return true;
    }

    private void readStaticRow() throws IOException {
        int extended = (flags & RowFlags.EXTENDED) != 0 ? in.readByte() : NO_FLAGS;
        if ((extended & RowFlags.IS_STATIC) == 0 || (flags & (RowFlags.END | RowFlags.MARKER)) != 0) {
            throw in.malformed("flags " + flags + ", " + extended + " (expected: those of a static row)");
        }
        clustering.setStatic();
        readRow(extended, staticLayout);
    }

    private void readMarker() throws IOException {
        clustering.readBound(in);
        layout = ColumnLayout.NONE;
        column = 0;
        enterBody();
        deletion = clustering.kind().isEnd() ? readOpenDeletion() : DeletionTime.LIVE;
        starting = clustering.kind().isStart() ? readOpenDeletion() : DeletionTime.LIVE;
        requireEndOfBody();
    }

    private DeletionTime readOpenDeletion() throws IOException {
        DeletionTime read = times.readDeletion(in);
        if (read.isLive()) {
            throw in.malformed("range tombstone that deletes nothing (expected: a deletion)");
        }
        return read;
    }

    private void readRow(int extended, ColumnLayout rowLayout) throws IOException {
        isShadowable = (extended & RowFlags.IS_SHADOWABLE) != 0;
        enterBody();
        timestamp = Liveness.NONE.timestamp();
        ttl = Liveness.NONE.ttl();
        localDeletionTime = Liveness.NONE.localDeletionTime();
        if ((flags & RowFlags.HAS_TIMESTAMP) != 0) {
            timestamp = times.readTimestamp(in);
            if ((flags & RowFlags.HAS_TTL) != 0) {
                ttl = times.readTtl(in);
                localDeletionTime = times.readLocalDeletionTime(in);
            }
        }
        if ((flags & RowFlags.HAS_DELETION) != 0) {
            deletion = times.readDeletion(in);
        }
        if ((flags & RowFlags.HAS_ALL_COLUMNS) == 0) {
            ColumnSubset.read(in, rowLayout.size(), present);
        }
        if (layout != rowLayout) { // storing a reference costs more than comparing it
            layout = rowLayout;
        }
        column = -1;
        cellsLeft = 0;
    }

    private void enterBody() throws IOException {
        long length = in.readUnsignedVInt();
        in.enterBody(length, sectionEnd - in.position());
        in.readUnsignedVInt(); // the distance to the previous item, for backward readers
    }

    private void requireEndOfBody() throws IOException {
        if (in.remainingInBody() != 0) {
            throw in.malformed(in.remainingInBody() + " bytes left of the item (expected: none)");
        }
    }

    /** The kind of the item: a row, the static row, or the kind of a marker. */
    public ClusteringPrefix.Kind kind() {
        return clustering.kind();
    }

    /** When the row was inserted, in microseconds; {@link Long#MIN_VALUE} if it was not. */
    public long timestamp() {
        return timestamp;
    }

    /** Seconds that the row lives from its insertion; 0 if it does not expire. */
    public int ttl() {
        return ttl;
    }

    /** Second at which the row expires; {@link DeletionTime#NEVER} if it does not. */
    public long localDeletionTime() {
        return localDeletionTime;
    }

    /** The row's deletion, or that of the range that ends at the marker. */
    public DeletionTime deletion() {
        return (flags & (RowFlags.HAS_DELETION | RowFlags.MARKER)) != 0 ? deletion : DeletionTime.LIVE;
    }

    /** The deletion of the range that starts at the marker. */
    public DeletionTime starting() {
        return starting;
    }

    /** Whether newer liveness overrides the row's deletion. */
    public boolean isShadowable() {
        return isShadowable;
    }

    /** Goes to the next column that the row has; false after the last. */
    public boolean nextColumn() throws IOException {
        while (cellsLeft > 0) {
            nextCell();
        }
        if (column == layout.size()) {
            return false;
        }
        column++;
        if ((flags & RowFlags.HAS_ALL_COLUMNS) == 0 && column < layout.size()) {
            int next = present.nextSetBit(column);
            column = next < 0 ? layout.size() : next;
        }
        if (column == layout.size()) {
            requireEndOfBody();
            return false;
        }
        cellsLeft = 1;
        if (layout.isMultiCell(column)) {
            if ((flags & RowFlags.HAS_COMPLEX_DELETION) != 0) {
                columnDeletion = times.readDeletion(in);
            }
            cellsLeft = in.require("cells of " + column(), in.readUnsignedVInt(), in.remainingInBody());
        }
        return true;
    }

    /** The column. */
    public Column column() {
        return layout.column(column);
    }

    /** The deletion of all older cells of a multi-cell column; {@link DeletionTime#LIVE} if there is none. */
    public DeletionTime columnDeletion() {
        return (flags & RowFlags.HAS_COMPLEX_DELETION) != 0 && layout.isMultiCell(column)
                ? columnDeletion
                : DeletionTime.LIVE;
    }

    /** Goes to the next cell of the column: a simple column has one, a multi-cell column any number. */
    public boolean nextCell() throws IOException {
        if (cellsLeft == 0) {
            return false;
        }
        cellsLeft--;
        int cellFlags = in.readByte();
        readCellTimes(cellFlags);
        pathOffset = 0;
        pathLength = 0;
        boolean isMultiCell = layout.isMultiCell(column);
        if (isMultiCell) {
            long length = in.readUnsignedVInt();
            pathOffset = in.offset();
            in.skip(length);
            pathLength = (int) length;
        }
        valueOffset = 0;
        valueLength = 0;
        if ((cellFlags & RowFlags.CELL_EMPTY) == 0) {
            int fixed = layout.fixedLength(column);
            long length = fixed >= 0 ? fixed : in.readUnsignedVInt();
            valueOffset = in.offset();
            in.skip(length);
            valueLength = (int) length;
        }
        return true;
    }

    private void readCellTimes(int cellFlags) throws IOException {
        boolean usesRowTtl = (cellFlags & RowFlags.CELL_ROW_TTL) != 0;
        boolean isTombstone = (cellFlags & RowFlags.CELL_TOMBSTONE) != 0;
        boolean isExpiring = (cellFlags & RowFlags.CELL_EXPIRING) != 0;
        if (isTombstone && isExpiring) {
            throw in.malformed("cell of " + column() + " with flags " + cellFlags + " (expected: not both 1 and 2)");
        }
        cellTimestamp = (cellFlags & RowFlags.CELL_ROW_TIMESTAMP) != 0 ? timestamp : times.readTimestamp(in);
        cellLocalDeletionTime = DeletionTime.NEVER;
        cellTtl = 0;
        if (isTombstone || isExpiring) {
            cellLocalDeletionTime = usesRowTtl ? localDeletionTime : times.readLocalDeletionTime(in);
        }
        if (isExpiring) {
            cellTtl = usesRowTtl ? ttl : times.readTtl(in);
            if (cellTtl == 0) {
                throw in.malformed("TTL of an expiring cell of " + column() + ": 0 (expected: any other)");
            }
        }
    }

    /** When the cell was written, in microseconds. */
    public long cellTimestamp() {
        return cellTimestamp;
    }

    /** Seconds that the cell lives from its writing; 0 if it does not expire. */
    public int cellTtl() {
        return cellTtl;
    }

    /** Second of deletion or expiry; {@link DeletionTime#NEVER} if neither. */
    public long cellLocalDeletionTime() {
        return cellLocalDeletionTime;
    }

    /** Length of the cell's value in bytes; 0 in tombstones and in sets. */
    public int valueLength() {
        return valueLength;
    }

    /** A copy of the cell's value. */
    public Bytes value() {
        return in.copy(valueOffset, valueLength);
    }

    /** A copy of the path of a cell of a multi-cell column; empty in simple ones. */
    public Bytes path() {
        return in.copy(pathOffset, pathLength);
    }

    /** A copy of the clustering of the item. */
    ClusteringPrefix clustering() {
        return clustering.toPrefix(in.copy(0, in.offset()).toArray());
    }

    /** The bytes of the row or marker; the methods with this parameter return views of it. */
    byte[] copyItem() {
        return in.copyItem();
    }

    ClusteringPrefix clustering(byte[] item) {
        return clustering.toPrefix(item);
    }

    Cell cell(byte[] item) {
        return new Cell(
                column(),
                Bytes.wrap(item, pathOffset, pathLength),
                cellTimestamp,
                cellTtl,
                cellLocalDeletionTime,
                Bytes.wrap(item, valueOffset, valueLength));
    }

    /** The maximum number of columns of the row. */
    int columnCount() {
        return layout.size();
    }

    @Override
    public void close() throws IOException {
        data.close();
    }
}
