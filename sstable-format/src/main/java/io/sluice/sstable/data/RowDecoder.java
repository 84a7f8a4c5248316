package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.VInts;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.Values;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Decodes what follows the two sizes of a row or marker. Immutable. */
final class RowDecoder {
    private final SerializationHeader header;
    private final Times times;

    RowDecoder(Version version, SerializationHeader header) {
        this.header = header;
        this.times = new Times(version, header.base());
    }

    Times times() {
        return times;
    }

    Marker marker(ClusteringPrefix bound, ByteBuffer in) throws MalformedException {
        DeletionTime ending = bound.kind().isEnd() ? open(times.readDeletion(in)) : DeletionTime.LIVE;
        DeletionTime starting = bound.kind().isStart() ? open(times.readDeletion(in)) : DeletionTime.LIVE;
        return new Marker(bound, ending, starting);
    }

    private static DeletionTime open(DeletionTime deletion) throws MalformedException {
        if (deletion.isLive()) {
            throw new MalformedException("range tombstone that deletes nothing (expected: a deletion)");
        }
        return deletion;
    }

    /**
     * Decodes the body of a row.
     *
     * @throws BufferUnderflowException if it is too short
     */
    Row row(ClusteringPrefix clustering, int flags, boolean isShadowable, ByteBuffer in) throws MalformedException {
        Liveness liveness = Liveness.NONE;
        if ((flags & RowFlags.HAS_TIMESTAMP) != 0) {
            long timestamp = times.readTimestamp(in);
            boolean expires = (flags & RowFlags.HAS_TTL) != 0;
            int ttl = expires ? times.readTtl(in) : 0;
            long localDeletionTime = expires ? times.readLocalDeletionTime(in) : DeletionTime.NEVER;
            liveness = new Liveness(timestamp, ttl, localDeletionTime);
        }
        DeletionTime deletion = (flags & RowFlags.HAS_DELETION) != 0 ? times.readDeletion(in) : DeletionTime.LIVE;
        List<Column> columns = header.columns(clustering.kind() == ClusteringPrefix.Kind.STATIC);
        BitSet present = null;
        if ((flags & RowFlags.HAS_ALL_COLUMNS) == 0) {
            present = ColumnSubset.read(in, columns.size());
        }
        List<ColumnData> data = new ArrayList<>(present == null ? columns.size() : present.cardinality());
        for (int i = 0; i < columns.size(); i++) {
            if (present == null || present.get(i)) {
                data.add(columnData(columns.get(i), flags, liveness, in));
            }
        }
        return new Row(clustering, liveness, deletion, isShadowable, data);
    }

    private ColumnData columnData(Column column, int flags, Liveness liveness, ByteBuffer in)
            throws MalformedException {
        if (!column.isMultiCell()) {
            return cell(column, liveness, in);
        }
        DeletionTime deletion =
                (flags & RowFlags.HAS_COMPLEX_DELETION) != 0 ? times.readDeletion(in) : DeletionTime.LIVE;
        long count = VInts.readUnsigned(in);
        if (count < 0 || count > in.remaining()) { // a cell has at least its flags
            throw new MalformedException("cells of " + column + ": " + count + " (expected: at most " + in.remaining()
                    + ", the bytes left)");
        }
        List<Cell> cells = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            cells.add(cell(column, liveness, in));
        }
        return new ComplexColumn(column, deletion, cells);
    }

    private Cell cell(Column column, Liveness liveness, ByteBuffer in) throws MalformedException {
        int flags = in.get();
        boolean usesRowTtl = (flags & RowFlags.CELL_ROW_TTL) != 0;
        boolean isTombstone = (flags & RowFlags.CELL_TOMBSTONE) != 0;
        boolean isExpiring = (flags & RowFlags.CELL_EXPIRING) != 0;
        if (isTombstone && isExpiring) {
            throw new MalformedException(
                    "cell of " + column + " with flags " + flags + " (expected: not both 1 and 2)");
        }
        long timestamp = (flags & RowFlags.CELL_ROW_TIMESTAMP) != 0 ? liveness.timestamp() : times.readTimestamp(in);
        long localDeletionTime = DeletionTime.NEVER;
        int ttl = 0;
        if (isTombstone || isExpiring) {
            localDeletionTime = usesRowTtl ? liveness.localDeletionTime() : times.readLocalDeletionTime(in);
        }
        if (isExpiring) {
            ttl = usesRowTtl ? liveness.ttl() : times.readTtl(in);
            if (ttl == 0) {
                throw new MalformedException("TTL of an expiring cell of " + column + ": 0 (expected: any other)");
            }
        }
        Bytes path = column.isMultiCell() ? Values.take(in, VInts.readUnsigned(in)) : Bytes.EMPTY;
        Bytes value = (flags & RowFlags.CELL_EMPTY) != 0 ? Bytes.EMPTY : value(column.type(), in);
        return new Cell(column, path, timestamp, ttl, localDeletionTime, value);
    }

    private static Bytes value(CqlType type, ByteBuffer in) {
        return type.isMultiCell() ? Values.take(in, VInts.readUnsigned(in)) : Values.read(type, in);
    }
}
