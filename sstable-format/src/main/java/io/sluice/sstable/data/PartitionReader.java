package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads partitions in sections of one Data.db as objects; {@link RowCursor} reads without objects. Keeps one row in
 * memory. Not thread-safe: confined to one reader.
 */
public final class PartitionReader implements PartitionSource {
    private final RowCursor cursor;
    private @Nullable Content current;
    private long itemPosition;
    private long contentPosition;

    /**
     * Reads {@code sections}, ascending, of {@code data}, which is closed with this.
     *
     * @param version and header of the SSTable that the data belongs to
     */
    public PartitionReader(DataReader data, Version version, SerializationHeader header, List<Section> sections) {
        this(new RowCursor(data, version, header, sections));
    }

    private PartitionReader(RowCursor cursor) {
        this.cursor = cursor;
    }

    /** Reads all of {@code sstable}. */
    public static PartitionReader open(SSTable sstable) throws IOException {
        return open(sstable, TokenRanges.FULL);
    }

    /** Reads the partitions of {@code sstable} in {@code ranges}. */
    public static PartitionReader open(SSTable sstable, TokenRanges ranges) throws IOException {
        return new PartitionReader(RowCursor.open(sstable, ranges));
    }

    /** The columns and types of the rows. */
    public SerializationHeader header() {
        return cursor.header();
    }

    @Override
    public Optional<Partition> next() throws IOException {
        if (current != null) {
            current.skip();
        }
        if (!cursor.nextPartition()) {
            return Optional.empty();
        }
        itemPosition = cursor.position();
        current = new Content(readHeader());
        contentPosition = cursor.readPosition();
        return Optional.of(current);
    }

    /** The uncompressed position of the last partition or item. */
    public long itemPosition() {
        return itemPosition;
    }

    /** The uncompressed position after the header and the static row of the last partition. */
    public long contentPosition() {
        return contentPosition;
    }

    @Override
    public void close() throws IOException {
        cursor.close();
    }

    private PartitionHeader readHeader() throws IOException {
        Row statics = Row.NO_STATICS;
        if (!header().staticColumns().isEmpty() && cursor.nextItem()) {
            statics = readRow();
        }
        return new PartitionHeader(cursor.key(), cursor.partitionDeletion(), statics);
    }

    private Row readRow() throws IOException {
        byte[] item = cursor.copyItem();
        List<ColumnData> columns = new ArrayList<>(cursor.columnCount());
        while (cursor.nextColumn()) {
            columns.add(readColumn(item));
        }
        Liveness liveness = cursor.timestamp() == Long.MIN_VALUE
                ? Liveness.NONE
                : new Liveness(cursor.timestamp(), cursor.ttl(), cursor.localDeletionTime());
        return new Row(cursor.clustering(item), liveness, cursor.deletion(), cursor.isShadowable(), columns);
    }

    private ColumnData readColumn(byte[] item) throws IOException {
        if (!cursor.column().isMultiCell()) {
            cursor.nextCell();
            return cursor.cell(item);
        }
        List<Cell> cells = new ArrayList<>();
        while (cursor.nextCell()) {
            cells.add(cursor.cell(item));
        }
        return new ComplexColumn(cursor.column(), cursor.columnDeletion(), cells);
    }

    private Marker readMarker() {
        return new Marker(cursor.clustering(cursor.copyItem()), cursor.deletion(), cursor.starting());
    }

    private final class Content implements Partition {
        private final PartitionHeader partitionHeader;
        private boolean isAtEnd;

        Content(PartitionHeader partitionHeader) {
            this.partitionHeader = partitionHeader;
        }

        @Override
        public PartitionHeader header() {
            return partitionHeader;
        }

        @Override
        public Optional<Unfiltered> next() throws IOException {
            isAtEnd = isAtEnd || !cursor.nextItem();
            itemPosition = cursor.position();
            if (isAtEnd) {
                return Optional.empty();
            }
            return Optional.of(cursor.kind().side() == 0 ? readRow() : readMarker());
        }

        /** Reads to the end, so that corruption is also found in skipped rows. */
        void skip() throws IOException {
            while (!isAtEnd) {
                next();
            }
        }
    }
}
