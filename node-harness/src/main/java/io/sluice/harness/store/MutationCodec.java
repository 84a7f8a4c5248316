package io.sluice.harness.store;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.ComplexColumn;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Liveness;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.VInts;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.type.Values;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Mutations of one table as bytes, in the commit log and between nodes. Columns go by name, so that bytes outlive a
 * change of the schema. Immutable.
 *
 * <pre>
 * mutation    u16 key length, key, deletion, item (the static row), uvint n, n items
 * item        u8 0, clustering, liveness, deletion, u8 shadowable, uvint n, n columns       a row
 *             u8 1, clustering, deletion that ends, deletion that starts                    a marker
 * clustering  u8 kind (as in Data.db), uvint n, n times (uvint length, value)
 * liveness    i64 microseconds, i32 ttl, i64 local deletion time
 * deletion    i64 microseconds, i64 local deletion time
 * column      uvint length, name, then: simple    cell
 *                                       multi-cell deletion, uvint n, n cells
 * cell        uvint length, path, liveness, uvint length, value
 * </pre>
 */
public final class MutationCodec {
    private static final int ROW = 0;
    private static final int MARKER = 1;

    private final Map<Bytes, Column> columns = new HashMap<>();

    /** @param header all columns that rows may have */
    public MutationCodec(SerializationHeader header) {
        header.staticColumns().forEach(column -> columns.put(column.name(), column));
        header.regularColumns().forEach(column -> columns.put(column.name(), column));
    }

    /** Appends a mutation to {@code out}. */
    public void write(Mutation mutation, GrowingBuffer out) {
        out.putShortBytes(mutation.key().bytes());
        write(mutation.header().deletion(), out);
        write(mutation.header().staticRow(), out);
        out.putUnsignedVInt(mutation.items().size());
        mutation.items().forEach(item -> write(item, out));
    }

    private static void write(Unfiltered item, GrowingBuffer out) {
        if (item instanceof Marker marker) {
            out.putByte(MARKER);
            write(marker.clustering(), out);
            write(marker.ending(), out);
            write(marker.starting(), out);
        } else if (item instanceof Row row) {
            out.putByte(ROW);
            write(row.clustering(), out);
            writeTimes(
                    row.liveness().timestamp(),
                    row.liveness().ttl(),
                    row.liveness().localDeletionTime(),
                    out);
            write(row.deletion(), out);
            out.putByte(row.isShadowable() ? 1 : 0)
                    .putUnsignedVInt(row.columns().size());
            row.columns().forEach(data -> write(data, out));
        }
    }

    private static void write(ClusteringPrefix clustering, GrowingBuffer out) {
        out.putByte(clustering.kind().number()).putUnsignedVInt(clustering.length());
        for (int i = 0; i < clustering.length(); i++) {
            if (clustering.isNull(i)) {
                throw new IllegalArgumentException(
                        "clustering " + clustering + " (expected: no null; tables of compact storage are not written)");
            }
            out.putVIntBytes(clustering.value(i));
        }
    }

    private static void write(ColumnData data, GrowingBuffer out) {
        out.putVIntBytes(data.column().name());
        if (data instanceof Cell cell) {
            write(cell, out);
        } else if (data instanceof ComplexColumn complex) {
            write(complex.deletion(), out);
            out.putUnsignedVInt(complex.cells().size());
            complex.cells().forEach(cell -> write(cell, out));
        }
    }

    private static void write(Cell cell, GrowingBuffer out) {
        out.putVIntBytes(cell.path());
        writeTimes(cell.timestamp(), cell.ttl(), cell.localDeletionTime(), out);
        out.putVIntBytes(cell.value());
    }

    private static void writeTimes(long timestamp, int ttl, long localDeletionTime, GrowingBuffer out) {
        out.putLong(timestamp).putInt(ttl).putLong(localDeletionTime);
    }

    private static void write(DeletionTime deletion, GrowingBuffer out) {
        out.putLong(deletion.timestamp()).putLong(deletion.localDeletionTime());
    }

    /** One mutation after another, as {@link #readAll} reads them. */
    public Bytes writeAll(Collection<Mutation> mutations) {
        GrowingBuffer out = new GrowingBuffer();
        mutations.forEach(mutation -> write(mutation, out));
        return out.toBytes();
    }

    /**
     * Reads mutations until the bytes end.
     *
     * @throws SSTableException as {@link #read} does
     */
    public List<Mutation> readAll(Bytes bytes) throws SSTableException {
        List<Mutation> mutations = new ArrayList<>();
        for (ByteBuffer in = bytes.asBuffer(); in.hasRemaining(); ) {
            mutations.add(read(in));
        }
        return mutations;
    }

    /**
     * Reads a mutation; {@code in} is left after it.
     *
     * @throws SSTableException if it ends early, or names an unknown column or kind
     */
    public Mutation read(ByteBuffer in) throws SSTableException {
        try {
            PartitionKey key = PartitionKey.of(Values.take(in, in.getShort() & 0xffff));
            DeletionTime deletion = readDeletion(in);
            if (!(readItem(in) instanceof Row statics) || !statics.isStatic()) {
                throw new SSTableException("mutation of " + key + ": first item (expected: the static row)");
            }
            List<Unfiltered> items = new ArrayList<>();
            for (int left = count(in); left > 0; left--) {
                items.add(readItem(in));
            }
            return new Mutation(new PartitionHeader(key, deletion, statics), items);
        } catch (BufferUnderflowException truncated) {
            throw new SSTableException("mutation: ends after " + in.limit() + " bytes (expected: more)", truncated);
        } catch (IllegalArgumentException impossible) {
            throw new SSTableException("mutation: " + impossible.getMessage(), impossible);
        }
    }

    private Unfiltered readItem(ByteBuffer in) throws SSTableException {
        int what = in.get();
        ClusteringPrefix clustering = readClustering(in);
        return switch (what) {
            case ROW ->
                new Row(
                        clustering,
                        new Liveness(in.getLong(), in.getInt(), in.getLong()),
                        readDeletion(in),
                        in.get() != 0,
                        readColumns(in));
            case MARKER -> new Marker(clustering, readDeletion(in), readDeletion(in));
            default -> throw new SSTableException("mutation: item of type " + what + " (expected: 0 or 1)");
        };
    }

    private static ClusteringPrefix readClustering(ByteBuffer in) throws SSTableException {
        int number = in.get();
        ClusteringPrefix.Kind kind = ClusteringPrefix.Kind.ofNumber(number)
                .orElseThrow(
                        () -> new SSTableException("mutation: clustering of kind " + number + " (expected: 0 to 7)"));
        List<Bytes> values = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            values.add(readBytes(in));
        }
        return ClusteringPrefix.of(kind, values);
    }

    private List<ColumnData> readColumns(ByteBuffer in) throws SSTableException {
        List<ColumnData> read = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            Bytes name = readBytes(in);
            Column column = columns.get(name);
            if (column == null) {
                throw new SSTableException(
                        "mutation: column " + name.utf8() + " (expected: one of " + columns.values() + ")");
            }
            read.add(column.isMultiCell() ? readComplex(column, in) : readCell(column, in));
        }
        return read;
    }

    private static ComplexColumn readComplex(Column column, ByteBuffer in) throws SSTableException {
        DeletionTime deletion = readDeletion(in);
        List<Cell> cells = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            cells.add(readCell(column, in));
        }
        return new ComplexColumn(column, deletion, cells);
    }

    private static Cell readCell(Column column, ByteBuffer in) {
        Bytes path = readBytes(in);
        return new Cell(column, path, in.getLong(), in.getInt(), in.getLong(), readBytes(in));
    }

    private static DeletionTime readDeletion(ByteBuffer in) {
        return new DeletionTime(in.getLong(), in.getLong());
    }

    private static Bytes readBytes(ByteBuffer in) {
        return Values.take(in, VInts.readUnsigned(in));
    }

    private static int count(ByteBuffer in) throws SSTableException {
        long count = VInts.readUnsigned(in);
        if (count < 0 || count > in.remaining()) { // each takes at least a byte
            throw new SSTableException("mutation: count " + count + " (expected: at most " + in.remaining() + ")");
        }
        return (int) count;
    }
}
