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
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.type.Values;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** {@link Encoding#FIXED}: every structure begins with its length, so that a reader can check and skip it. */
final class FixedCodec implements FragmentCodec {
    private static final int NULL = -1;
    private static final int LIVE = 0;
    private static final int EXPIRING = 1;
    private static final int TOMBSTONE = 2;
    private static final int COMPLEX = 3;

    private final SerializationHeader header;
    private final GrowingBuffer body = new GrowingBuffer();
    private final GrowingBuffer nested = new GrowingBuffer();

    FixedCodec(SerializationHeader header) {
        this.header = header;
    }

    @Override
    public void encode(Fragment fragment, GrowingBuffer out) {
        body.clear();
        if (fragment instanceof Fragment.Start start) {
            out.putByte(START);
            putBytes(start.header().key().bytes(), body);
            put(start.header().deletion(), body);
        } else if (fragment instanceof Fragment.Statics statics) {
            out.putByte(STATICS);
            putRow(statics.row());
        } else if (fragment instanceof Fragment.Item item && item.item() instanceof Row row) {
            out.putByte(ROW);
            put(row.clustering(), body);
            putRow(row);
        } else if (fragment instanceof Fragment.Item item && item.item() instanceof Marker marker) {
            out.putByte(MARKER);
            body.putByte(marker.clustering().kind().number());
            put(marker.clustering(), body);
            put(marker.ending(), body);
            put(marker.starting(), body);
        } else {
            out.putByte(END);
        }
        out.putInt(body.length()).put(body);
    }

    private static void putBytes(Bytes bytes, GrowingBuffer to) {
        to.putInt(bytes.length()).put(bytes);
    }

    private static void put(DeletionTime deletion, GrowingBuffer to) {
        to.putLong(deletion.timestamp()).putLong(deletion.localDeletionTime());
    }

    private static void put(ClusteringPrefix clustering, GrowingBuffer to) {
        to.putInt(clustering.length());
        for (int i = 0; i < clustering.length(); i++) {
            if (clustering.isNull(i)) {
                to.putInt(NULL);
            } else {
                putBytes(clustering.value(i), to);
            }
        }
    }

    private void putRow(Row row) {
        Liveness liveness = row.liveness();
        body.putLong(liveness.timestamp()).putInt(liveness.ttl()).putLong(liveness.localDeletionTime());
        put(row.deletion(), body);
        body.putByte(row.isShadowable() ? 1 : 0);
        body.putInt(row.columns().size());
        List<Column> columns = header.columns(row.isStatic());
        int index = -1;
        for (int i = 0; i < row.columns().size(); i++) {
            ColumnData data = row.columns().get(i);
            index = Fields.indexOf(data.column(), columns, index + 1);
            nested.clear();
            if (data instanceof Cell cell) {
                putCell(cell);
            } else if (data instanceof ComplexColumn complex) {
                nested.putByte(COMPLEX);
                put(complex.deletion(), nested);
                nested.putInt(complex.cells().size());
                complex.cells().forEach(this::putCell);
            }
            body.putInt(nested.length() + Integer.BYTES).putInt(index).put(nested);
        }
    }

    private void putCell(Cell cell) {
        nested.putByte(cell.isExpiring() ? EXPIRING : cell.isTombstone() ? TOMBSTONE : LIVE);
        nested.putLong(cell.timestamp());
        if (cell.isExpiring()) {
            nested.putInt(cell.ttl());
        }
        if (cell.isExpiring() || cell.isTombstone()) {
            nested.putLong(cell.localDeletionTime());
        }
        if (cell.column().isMultiCell()) {
            putBytes(cell.path(), nested);
        }
        putBytes(cell.value(), nested);
    }

    @Override
    public Fragment decode(ByteBuffer in) {
        int what = in.get();
        int size = in.getInt();
        int end = in.position() + Fields.count(in, size);
        Fragment fragment = switch (what) {
            case START -> new Fragment.Start(new PartitionHeader(key(in), deletion(in), Row.NO_STATICS));
            case STATICS -> new Fragment.Statics(row(ClusteringPrefix.STATIC, in));
            case ROW -> new Fragment.Item(row(clustering(Kind.ROW, in), in));
            case MARKER -> new Fragment.Item(new Marker(clustering(bound(in), in), deletion(in), deletion(in)));
            case END -> Fragment.END;
            default -> throw new IllegalArgumentException("fragment: " + what + " (expected: 1 to 5)");
        };
        requireAt(end, in);
        return fragment;
    }

    private static void requireAt(int end, ByteBuffer in) {
        if (in.position() != end) {
            throw new IllegalArgumentException("size: ends at " + end + " (expected: " + in.position() + ")");
        }
    }

    private static PartitionKey key(ByteBuffer in) {
        return PartitionKey.of(bytes(in));
    }

    private static Bytes bytes(ByteBuffer in) {
        return Values.take(in, in.getInt());
    }

    private static DeletionTime deletion(ByteBuffer in) {
        return new DeletionTime(in.getLong(), in.getLong());
    }

    private static Kind bound(ByteBuffer in) {
        int number = in.get();
        return Kind.ofNumber(number)
                .orElseThrow(() -> new IllegalArgumentException("bound: " + number + " (expected: 0 to 7)"));
    }

    private ClusteringPrefix clustering(Kind kind, ByteBuffer in) {
        int length = in.getInt();
        int most = header.clusteringTypes().size();
        if (length < 0 || length > most || (kind == Kind.ROW && length != most)) {
            throw new IllegalArgumentException("values of a clustering: " + length + " (expected: " + most + ")");
        }
        return Fields.clustering(kind, length, () -> {
            int bytes = in.getInt();
            return bytes == NULL ? null : Values.take(in, bytes);
        });
    }

    private Row row(ClusteringPrefix clustering, ByteBuffer in) {
        Liveness liveness = new Liveness(in.getLong(), in.getInt(), in.getLong());
        DeletionTime deletion = deletion(in);
        boolean isShadowable = in.get() != 0;
        int count = Fields.count(in, in.getInt());
        List<Column> columns = header.columns(clustering.kind() == Kind.STATIC);
        List<ColumnData> content = new ArrayList<>(Math.min(count, columns.size()));
        int last = -1;
        for (int i = 0; i < count; i++) {
            int end = in.position() + Integer.BYTES + Fields.count(in, in.getInt());
            int index = in.getInt();
            if (index <= last) {
                throw new IllegalArgumentException("column: " + index + " after " + last + " (expected: ascending)");
            }
            last = index;
            content.add(column(Fields.column(columns, index), in));
            requireAt(end, in);
        }
        return new Row(clustering, liveness, deletion, isShadowable, content);
    }

    private static ColumnData column(Column column, ByteBuffer in) {
        int kind = in.get();
        if (column.isMultiCell() != (kind == COMPLEX)) {
            throw new IllegalArgumentException("kind of " + column + ": " + kind);
        }
        if (kind != COMPLEX) {
            return cell(column, kind, in);
        }
        DeletionTime deletion = deletion(in);
        int count = Fields.count(in, in.getInt());
        List<Cell> cells = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            cells.add(cell(column, in.get(), in));
        }
        return new ComplexColumn(column, deletion, cells);
    }

    private static Cell cell(Column column, int kind, ByteBuffer in) {
        if (kind < LIVE || kind > TOMBSTONE) {
            throw new IllegalArgumentException("kind of a cell: " + kind + " (expected: 0 to 2)");
        }
        long timestamp = in.getLong();
        int ttl = kind == EXPIRING ? in.getInt() : 0;
        long localDeletionTime = kind == LIVE ? DeletionTime.NEVER : in.getLong();
        Bytes path = column.isMultiCell() ? bytes(in) : Bytes.EMPTY;
        return new Cell(column, path, timestamp, ttl, localDeletionTime, bytes(in));
    }
}
