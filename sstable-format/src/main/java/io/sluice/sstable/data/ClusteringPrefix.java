package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A position in a partition: the clustering of a row, or a bound before or after all rows that begin with some values.
 * Immutable.
 */
public final class ClusteringPrefix {
    /** The position of static rows: before everything. */
    public static final ClusteringPrefix STATIC = of(Kind.STATIC, List.of());

    /** The kind of a position. */
    public enum Kind {
        EXCLUSIVE_END(0, -1),
        INCLUSIVE_START(1, -1),
        EXCLUSIVE_END_INCLUSIVE_START(2, -1),
        STATIC(3, 0),
        ROW(4, 0),
        INCLUSIVE_END_EXCLUSIVE_START(5, 1),
        INCLUSIVE_END(6, 1),
        EXCLUSIVE_START(7, 1);

        private final int number;
        private final int side;

        Kind(int number, int side) {
            this.number = number;
            this.side = side;
        }

        /** The kind with this number on disk, or empty if there is none. */
        public static Optional<Kind> ofNumber(int number) {
            return Arrays.stream(values()).filter(kind -> kind.number == number).findAny();
        }

        /** The number on disk. */
        public int number() {
            return number;
        }

        /** How it sorts relative to rows that begin with the same values: -1 before, 1 after, 0 for a row itself. */
        public int side() {
            return side;
        }

        /** Whether a range starts here. */
        public boolean isStart() {
            return this == INCLUSIVE_START || this == EXCLUSIVE_START || isBoundary();
        }

        /** Whether a range ends here. */
        public boolean isEnd() {
            return this == EXCLUSIVE_END || this == INCLUSIVE_END || isBoundary();
        }

        /** Whether one range ends and another starts here. */
        public boolean isBoundary() {
            return this == EXCLUSIVE_END_INCLUSIVE_START || this == INCLUSIVE_END_EXCLUSIVE_START;
        }
    }

    private final Kind kind;
    private final @Nullable Bytes[] values; // null is the null of tables with compact storage

    ClusteringPrefix(Kind kind, @Nullable Bytes[] values) {
        this.kind = kind;
        this.values = values;
    }

    public static ClusteringPrefix of(Kind kind, List<Bytes> values) {
        return new ClusteringPrefix(kind, values.toArray(Bytes[]::new));
    }

    /** A prefix of values that the caller must not modify any more; null is the null of tables with compact storage. */
    public static ClusteringPrefix ofNullable(Kind kind, @Nullable Bytes[] values) {
        return new ClusteringPrefix(kind, values);
    }

    /** The clustering of a row. */
    public static ClusteringPrefix row(Bytes... values) {
        return of(Kind.ROW, List.of(values));
    }

    public Kind kind() {
        return kind;
    }

    /** The number of values: the number of clustering columns; possibly fewer in a bound. */
    public int length() {
        return values.length;
    }

    /** Whether value {@code index} is null, which is less than empty. */
    public boolean isNull(int index) {
        return values[index] == null;
    }

    /** Value {@code index}, serialized; empty if it is null. */
    public Bytes value(int index) {
        Bytes value = values[index];
        return value == null ? Bytes.EMPTY : value;
    }

    /** A copy with another kind. */
    public ClusteringPrefix as(Kind newKind) {
        return new ClusteringPrefix(newKind, values);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusteringPrefix that && kind == that.kind && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return 31 * kind.hashCode() + Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return kind
                + IntStream.range(0, values.length)
                        .mapToObj(i -> isNull(i) ? "null" : value(i).hex())
                        .collect(Collectors.joining(",", "(", ")"));
    }
}
