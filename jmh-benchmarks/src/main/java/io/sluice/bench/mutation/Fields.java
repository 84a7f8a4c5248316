package io.sluice.bench.mutation;

import io.sluice.sstable.data.Column;
import java.nio.ByteBuffer;
import java.util.List;

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
}
