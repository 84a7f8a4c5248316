package io.sluice.bench.mutation;

import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.ClusteringPrefix.Kind;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.ComplexColumn;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Liveness;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.VInts;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.Values;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** {@link Encoding#DELTA}: about as short as rows are in an SSTable. */
final class DeltaCodec implements FragmentCodec {
    private static final int WHAT = 0x07;
    private static final int HAS_LIVENESS = 0x08;
    private static final int HAS_TTL = 0x10;
    private static final int HAS_DELETION = 0x20;
    private static final int IS_SHADOWABLE = 0x40;
    private static final int HAS_ALL_COLUMNS = 0x80;

    private static final int CELL_TOMBSTONE = 0x01;
    private static final int CELL_EXPIRING = 0x02;
    private static final int CELL_EMPTY = 0x04;
    private static final int CELL_ROW_TIMESTAMP = 0x08;
    private static final int CELL_ROW_TTL = 0x10;

    private final SerializationHeader header;
    private final SerializationHeader.Base base;

    DeltaCodec(SerializationHeader header) {
        this.header = header;
        this.base = header.base();
    }

    @Override
    public void encode(Fragment fragment, GrowingBuffer out) {
        if (fragment instanceof Fragment.Start start) {
            DeletionTime deletion = start.header().deletion();
            out.putByte(START | flag(!deletion.isLive(), HAS_DELETION));
            out.putVIntBytes(start.header().key().bytes());
            putDeletion(deletion, out);
        } else if (fragment instanceof Fragment.Statics statics) {
            putRow(STATICS, statics.row(), out);
        } else if (fragment instanceof Fragment.Item item && item.item() instanceof Row row) {
            putRow(ROW, row, out);
        } else if (fragment instanceof Fragment.Item item && item.item() instanceof Marker marker) {
            out.putByte(MARKER);
            out.putByte(marker.clustering().kind().number());
            out.putByte(marker.clustering().length());
            putClustering(marker.clustering(), out);
            putDeletion(marker.ending(), out);
            putDeletion(marker.starting(), out);
        } else {
            out.putByte(END);
        }
    }

    private void putTimestamp(long timestamp, GrowingBuffer out) {
        out.putUnsignedVInt(timestamp - base.timestamp());
    }

    private void putSeconds(long seconds, GrowingBuffer out) {
        out.putSignedVInt(seconds - base.localDeletionTime());
    }

    private void putDeletion(DeletionTime deletion, GrowingBuffer out) {
        if (!deletion.isLive()) {
            putTimestamp(deletion.timestamp(), out);
            putSeconds(deletion.localDeletionTime(), out);
        }
    }

    /** Of a value its length and one, so that 0 is null. */
    private static void putClustering(ClusteringPrefix clustering, GrowingBuffer out) {
        for (int i = 0; i < clustering.length(); i++) {
            if (clustering.isNull(i)) {
                out.putUnsignedVInt(0);
            } else {
                out.putUnsignedVInt(1L + clustering.value(i).length()).put(clustering.value(i));
            }
        }
    }

    private void putRow(int what, Row row, GrowingBuffer out) {
        List<Column> columns = header.columns(row.isStatic());
        Liveness liveness = row.liveness();
        boolean hasAll = row.columns().size() == columns.size();
        out.putByte(what
                | flag(!liveness.isNone(), HAS_LIVENESS)
                | flag(liveness.isExpiring(), HAS_TTL)
                | flag(!row.deletion().isLive(), HAS_DELETION)
                | flag(row.isShadowable(), IS_SHADOWABLE)
                | flag(hasAll, HAS_ALL_COLUMNS));
        putClustering(row.clustering(), out);
        if (!liveness.isNone()) {
            putTimestamp(liveness.timestamp(), out);
        }
        if (liveness.isExpiring()) {
            out.putUnsignedVInt(liveness.ttl());
            putSeconds(liveness.localDeletionTime(), out);
        }
        putDeletion(row.deletion(), out);
        if (!hasAll) {
            putPresent(row.columns(), columns, out);
        }
        for (int i = 0; i < row.columns().size(); i++) {
            putColumn(row.columns().get(i), liveness, out);
        }
    }

    /** A bit for each column, the first in the lowest of each byte. */
    private static void putPresent(List<ColumnData> present, List<Column> columns, GrowingBuffer out) {
        int at = -1;
        byte[] bits = new byte[(columns.size() + 7) / 8];
        for (ColumnData data : present) {
            at = Fields.indexOf(data.column(), columns, at + 1);
            bits[at / 8] |= (byte) (1 << (at % 8));
        }
        out.put(bits, 0, bits.length);
    }

    private void putColumn(ColumnData data, Liveness liveness, GrowingBuffer out) {
        if (data instanceof Cell cell) {
            putCell(cell, liveness, out);
        } else if (data instanceof ComplexColumn complex) {
            out.putByte(complex.deletion().isLive() ? 0 : 1);
            putDeletion(complex.deletion(), out);
            out.putUnsignedVInt(complex.cells().size());
            complex.cells().forEach(cell -> putCell(cell, liveness, out));
        }
    }

    private void putCell(Cell cell, Liveness liveness, GrowingBuffer out) {
        boolean usesRowTimestamp = !liveness.isNone() && cell.timestamp() == liveness.timestamp();
        boolean usesRowTtl = cell.isExpiring()
                && cell.ttl() == liveness.ttl()
                && cell.localDeletionTime() == liveness.localDeletionTime();
        out.putByte(flag(cell.isTombstone(), CELL_TOMBSTONE)
                | flag(cell.isExpiring(), CELL_EXPIRING)
                | flag(cell.value().isEmpty(), CELL_EMPTY)
                | flag(usesRowTimestamp, CELL_ROW_TIMESTAMP)
                | flag(usesRowTtl, CELL_ROW_TTL));
        if (!usesRowTimestamp) {
            putTimestamp(cell.timestamp(), out);
        }
        if (cell.isExpiring() && !usesRowTtl) {
            out.putUnsignedVInt(cell.ttl());
        }
        if ((cell.isExpiring() || cell.isTombstone()) && !usesRowTtl) {
            putSeconds(cell.localDeletionTime(), out);
        }
        CqlType type = cell.column().type();
        if (cell.column().isMultiCell()) {
            out.putVIntBytes(cell.path());
        }
        if (!cell.value().isEmpty()) {
            if (cell.column().isMultiCell()) {
                out.putVIntBytes(cell.value());
            } else {
                Values.write(type, cell.value(), out);
            }
        }
    }

    private static int flag(boolean isSet, int flag) {
        return isSet ? flag : 0;
    }

    @Override
    public Fragment decode(ByteBuffer in) {
        int flags = in.get() & 0xff;
        return switch (flags & WHAT) {
            case START -> start(flags, in);
            case STATICS -> new Fragment.Statics(row(flags, ClusteringPrefix.STATIC, in));
            case ROW ->
                new Fragment.Item(
                        row(flags, clustering(Kind.ROW, header.clusteringTypes().size(), in), in));
            case MARKER -> new Fragment.Item(marker(in));
            case END -> Fragment.END;
            default -> throw new IllegalArgumentException("fragment: " + (flags & WHAT) + " (expected: 1 to 5)");
        };
    }

    private Fragment start(int flags, ByteBuffer in) {
        PartitionKey key = PartitionKey.of(Values.take(in, VInts.readUnsigned(in)));
        return new Fragment.Start(new PartitionHeader(key, deletion((flags & HAS_DELETION) != 0, in), Row.NO_STATICS));
    }

    private Marker marker(ByteBuffer in) {
        int number = in.get();
        Kind kind = Kind.ofNumber(number)
                .orElseThrow(() -> new IllegalArgumentException("bound: " + number + " (expected: 0 to 7)"));
        ClusteringPrefix place = clustering(kind, in.get(), in);
        return new Marker(place, deletion(kind.isEnd(), in), deletion(kind.isStart(), in));
    }

    private long timestamp(ByteBuffer in) {
        return VInts.readUnsigned(in) + base.timestamp();
    }

    private long seconds(ByteBuffer in) {
        return VInts.readSigned(in) + base.localDeletionTime();
    }

    private DeletionTime deletion(boolean isThere, ByteBuffer in) {
        return isThere ? new DeletionTime(timestamp(in), seconds(in)) : DeletionTime.LIVE;
    }

    private ClusteringPrefix clustering(Kind kind, int length, ByteBuffer in) {
        if (length < 0 || length > header.clusteringTypes().size()) {
            throw new IllegalArgumentException("values of a clustering: " + length + " (expected: at most "
                    + header.clusteringTypes().size() + ")");
        }
        return Fields.clustering(kind, length, () -> {
            long lengthAndOne = VInts.readUnsigned(in);
            return lengthAndOne == 0 ? null : Values.take(in, lengthAndOne - 1);
        });
    }

    private Row row(int flags, ClusteringPrefix clustering, ByteBuffer in) {
        Liveness liveness = liveness(flags, in);
        DeletionTime deletion = deletion((flags & HAS_DELETION) != 0, in);
        List<Column> columns = header.columns(clustering.kind() == Kind.STATIC);
        byte[] present = new byte[(columns.size() + 7) / 8];
        boolean hasAll = (flags & HAS_ALL_COLUMNS) != 0;
        if (!hasAll) {
            in.get(present);
        }
        List<ColumnData> content = new ArrayList<>(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            if (hasAll || (present[i / 8] & 1 << (i % 8)) != 0) {
                content.add(column(columns.get(i), liveness, in));
            }
        }
        return new Row(clustering, liveness, deletion, (flags & IS_SHADOWABLE) != 0, content);
    }

    private Liveness liveness(int flags, ByteBuffer in) {
        if ((flags & HAS_LIVENESS) == 0) {
            return Liveness.NONE;
        }
        long timestamp = timestamp(in);
        return (flags & HAS_TTL) == 0
                ? Liveness.at(timestamp)
                : new Liveness(timestamp, (int) VInts.readUnsigned(in), seconds(in));
    }

    private ColumnData column(Column column, Liveness liveness, ByteBuffer in) {
        if (!column.isMultiCell()) {
            return cell(column, liveness, in);
        }
        DeletionTime deletion = deletion(in.get() != 0, in);
        int count = Fields.count(in, VInts.readUnsigned(in));
        List<Cell> cells = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            cells.add(cell(column, liveness, in));
        }
        return new ComplexColumn(column, deletion, cells);
    }

    private Cell cell(Column column, Liveness liveness, ByteBuffer in) {
        int flags = in.get();
        boolean isExpiring = (flags & CELL_EXPIRING) != 0;
        boolean usesRowTtl = (flags & CELL_ROW_TTL) != 0;
        long timestamp = (flags & CELL_ROW_TIMESTAMP) != 0 ? liveness.timestamp() : timestamp(in);
        int ttl = !isExpiring ? 0 : usesRowTtl ? liveness.ttl() : (int) VInts.readUnsigned(in);
        long seconds = DeletionTime.NEVER;
        if (isExpiring || (flags & CELL_TOMBSTONE) != 0) {
            seconds = usesRowTtl ? liveness.localDeletionTime() : seconds(in);
        }
        Bytes path = column.isMultiCell() ? Values.take(in, VInts.readUnsigned(in)) : Bytes.EMPTY;
        return new Cell(column, path, timestamp, ttl, seconds, value(column, flags, in));
    }

    private static Bytes value(Column column, int flags, ByteBuffer in) {
        if ((flags & CELL_EMPTY) != 0) {
            return Bytes.EMPTY;
        }
        return column.isMultiCell() ? Values.take(in, VInts.readUnsigned(in)) : Values.read(column.type(), in);
    }
}
