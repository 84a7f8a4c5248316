package io.sluice.sstable.data;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.VInts;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.TypeNames;
import io.sluice.sstable.type.Values;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The information for decoding the rows of an SSTable: the base of times, and the columns with their types. Immutable.
 *
 * @param base the values that times in rows are relative to
 * @param keyType the partition key; composite if it has several columns
 * @param clusteringTypes in order; reversed where descending
 * @param staticColumns in the order of {@link Column}
 * @param regularColumns in the order of {@link Column}
 */
public record SerializationHeader(
        Base base,
        CqlType keyType,
        List<CqlType> clusteringTypes,
        List<Column> staticColumns,
        List<Column> regularColumns) {

    private static final long EPOCH_SECONDS = 1_442_880_000L; // 2015-09-22T00:00:00Z
    private static final long EPOCH_MICROS = EPOCH_SECONDS * 1_000_000;

    /**
     * The values that times are relative to. They need not be minima: differences wrap around.
     *
     * @param timestamp microseconds
     * @param localDeletionTime seconds; 32 bits, unsigned from {@code oa} on
     * @param ttl seconds
     */
    public record Base(long timestamp, int localDeletionTime, int ttl) {
        /** A base for any content, used if no times are known. */
        public static final Base EPOCH = new Base(EPOCH_MICROS, (int) EPOCH_SECONDS, 0);
    }

    public SerializationHeader {
        clusteringTypes = List.copyOf(clusteringTypes);
        staticColumns = staticColumns.stream().sorted().toList();
        regularColumns = regularColumns.stream().sorted().toList();
    }

    /** The static columns, or the regular ones. */
    public List<Column> columns(boolean ofStatics) {
        return ofStatics ? staticColumns : regularColumns;
    }

    /**
     * Reads the component HEADER.
     *
     * @throws SSTableException if it is truncated, has columns out of order, or names unknown types
     */
    public static SerializationHeader parse(Bytes component) throws SSTableException {
        ByteBuffer in = component.asBuffer();
        try {
            return parse(in);
        } catch (BufferUnderflowException truncated) {
            throw new SSTableException(
                    "serialization header: ends after " + component.length() + " bytes (expected: more)", truncated);
        }
    }

    private static SerializationHeader parse(ByteBuffer in) throws SSTableException {
        Base base =
                new Base(VInts.readUnsigned(in) + EPOCH_MICROS, (int) (VInts.readUnsigned(in) + EPOCH_SECONDS), (int)
                        VInts.readUnsigned(in));
        CqlType keyType = type(in);
        List<CqlType> clusteringTypes = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            clusteringTypes.add(type(in));
        }
        return new SerializationHeader(base, keyType, clusteringTypes, columns(in), columns(in));
    }

    private static List<Column> columns(ByteBuffer in) throws SSTableException {
        List<Column> columns = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            Column column = new Column(Values.take(in, VInts.readUnsigned(in)), type(in));
            // Column subsets and data depend on this order: a list in another order would be decoded wrongly.
            if (!columns.isEmpty() && columns.get(columns.size() - 1).compareTo(column) >= 0) {
                throw new SSTableException("serialization header: column " + column + " after "
                        + columns.get(columns.size() - 1) + " (expected: simple before multi-cell, each by name)");
            }
            columns.add(column);
        }
        return columns;
    }

    private static CqlType type(ByteBuffer in) throws SSTableException {
        return TypeNames.parse(Values.take(in, VInts.readUnsigned(in)).utf8());
    }

    private static int count(ByteBuffer in) throws SSTableException {
        long count = VInts.readUnsigned(in);
        if (count < 0 || count > in.remaining()) {
            throw new SSTableException(
                    "serialization header: count " + count + " (expected: at most " + in.remaining() + ")");
        }
        return (int) count;
    }

    /** Encodes the component HEADER. */
    public Bytes toBytes() {
        GrowingBuffer out = new GrowingBuffer();
        out.putUnsignedVInt(base.timestamp() - EPOCH_MICROS);
        out.putUnsignedVInt(base.localDeletionTime() - (int) EPOCH_SECONDS);
        out.putUnsignedVInt(base.ttl());
        out.putVIntBytes(Bytes.utf8(keyType.className()));
        out.putUnsignedVInt(clusteringTypes.size());
        clusteringTypes.forEach(type -> out.putVIntBytes(Bytes.utf8(type.className())));
        for (List<Column> columns : List.of(staticColumns, regularColumns)) {
            out.putUnsignedVInt(columns.size());
            columns.forEach(column -> out.putVIntBytes(column.name())
                    .putVIntBytes(Bytes.utf8(column.type().className())));
        }
        return out.toBytes();
    }
}
