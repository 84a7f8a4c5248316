package io.sluice.bench.mutation;

import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.encoding.Bytes;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What both encodings check of what they read. Stateless. */
final class Fields {
    private Fields() {}

    /** {@code count}, if that many things of at least one byte can still follow. */
    static int count(ByteBuffer in, long count) {
        if (count < 0 || count > in.remaining()) {
            throw new IllegalArgumentException("count: " + count + " (expected: at most " + in.remaining() + ")");
        }
        return (int) count;
    }

    static Column column(List<Column> columns, long index) {
        if (index < 0 || index >= columns.size()) {
            throw new IllegalArgumentException("column: " + index + " (expected: below " + columns.size() + ")");
        }
        return columns.get((int) index);
    }

    /** The place of {@code column} in {@code columns}, ascending as they are, from {@code from} on. */
    static int indexOf(Column column, List<Column> columns, int from) {
        int index = from;
        while (index < columns.size() && columns.get(index).compareTo(column) != 0) {
            index++;
        }
        if (index == columns.size()) {
            throw new IllegalArgumentException("column " + column + " (expected: one of " + columns + ", ascending)");
        }
        return index;
    }

    /** Gives the next value, or null for the null of tables with compact storage. */
    interface Values {
        @Nullable
        Bytes get();
    }

    /** A clustering of so many values. */
    static ClusteringPrefix clustering(ClusteringPrefix.Kind kind, int length, Values next) {
        @Nullable Bytes[] values = new Bytes[length];
        for (int i = 0; i < length; i++) {
            values[i] = next.get();
        }
        return ClusteringPrefix.ofNullable(kind, values);
    }
}
