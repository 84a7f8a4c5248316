package io.sluice.sstable.type;

import io.sluice.sstable.encoding.Bytes;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** The type of a column or of a part of one. Immutable. */
public sealed interface CqlType {
    /** The package of all class names in headers. */
    String PACKAGE = "org.apache.cassandra.db.marshal.";

    /** The name in a serialization header, always with package: {@code org.apache.cassandra.db.marshal.Int32Type}. */
    String className();

    /** The length of every non-empty value, or empty if each value has a length prefix. */
    default OptionalInt fixedLength() {
        return OptionalInt.empty();
    }

    /** Whether a column of this type has a cell per element instead of one value. */
    default boolean isMultiCell() {
        return false;
    }

    /** Whether this is a reversed type: the column is in descending order. */
    default boolean isReversed() {
        return false;
    }

    /** This type, or the type that it reverses or freezes. */
    default CqlType plain() {
        return this;
    }

    /** A type without parameters. */
    enum Scalar implements CqlType {
        BOOLEAN("BooleanType", 1),
        INT("Int32Type", 4),
        FLOAT("FloatType", 4),
        BIGINT("LongType", 8),
        DOUBLE("DoubleType", 8),
        TIMESTAMP("TimestampType", 8),
        /** The timestamp of old tables, which is ordered as unsigned bytes. */
        OLD_DATE("DateType", 8),
        UUID("UUIDType", 16),
        TIMEUUID("TimeUUIDType", 16),
        LEXICAL_UUID("LexicalUUIDType", 16),
        EMPTY("EmptyType", 0),
        TINYINT("ByteType"),
        SMALLINT("ShortType"),
        DATE("SimpleDateType"),
        TIME("TimeType"),
        INET("InetAddressType"),
        VARINT("IntegerType"),
        DECIMAL("DecimalType"),
        DURATION("DurationType"),
        TEXT("UTF8Type"),
        ASCII("AsciiType"),
        BLOB("BytesType"),
        COUNTER("CounterColumnType");

        private final String className;
        private final OptionalInt fixedLength;

        Scalar(String simpleName, int fixedLength) {
            this.className = PACKAGE + simpleName;
            this.fixedLength = OptionalInt.of(fixedLength);
        }

        Scalar(String simpleName) {
            this.className = PACKAGE + simpleName;
            this.fixedLength = OptionalInt.empty();
        }

        @Override
        public String className() {
            return className;
        }

        @Override
        public OptionalInt fixedLength() {
            return fixedLength;
        }
    }

    /** A list; its multi-cell paths are time UUIDs. */
    record ListOf(CqlType element) implements CqlType {
        @Override
        public String className() {
            return PACKAGE + "ListType(" + element.className() + ")";
        }

        @Override
        public boolean isMultiCell() {
            return true;
        }
    }

    /** A set; its multi-cell paths are the elements. */
    record SetOf(CqlType element) implements CqlType {
        @Override
        public String className() {
            return PACKAGE + "SetType(" + element.className() + ")";
        }

        @Override
        public boolean isMultiCell() {
            return true;
        }
    }

    /** A map; its multi-cell paths are the keys. */
    record MapOf(CqlType key, CqlType value) implements CqlType {
        @Override
        public String className() {
            return PACKAGE + "MapType(" + key.className() + "," + value.className() + ")";
        }

        @Override
        public boolean isMultiCell() {
            return true;
        }
    }

    /** A tuple: always one value. */
    record Tuple(List<CqlType> elements) implements CqlType {
        public Tuple {
            elements = List.copyOf(elements);
        }

        @Override
        public String className() {
            return PACKAGE + "TupleType(" + namesOf(elements) + ")";
        }
    }

    /** A user type; its multi-cell paths are field numbers of two bytes. */
    record UserType(String keyspace, String name, List<Field> fields) implements CqlType {
        public UserType {
            fields = List.copyOf(fields);
        }

        /** A named part of a user type. */
        public record Field(String name, CqlType type) {}

        @Override
        public String className() {
            String parts = fields.stream()
                    .map(field -> "," + Bytes.utf8(field.name()).hex() + ":"
                            + field.type().className())
                    .collect(Collectors.joining());
            return PACKAGE + "UserType(" + keyspace + "," + Bytes.utf8(name).hex() + parts + ")";
        }

        @Override
        public boolean isMultiCell() {
            return true;
        }
    }

    /** A vector of {@code dimension} elements, 1 to 2^13 or so: always one value. */
    record Vector(CqlType element, int dimension) implements CqlType {
        public Vector {
            if (dimension < 1) {
                throw new IllegalArgumentException("vector dimension: " + dimension + " (expected: at least 1)");
            }
        }

        @Override
        public String className() {
            return PACKAGE + "VectorType(" + element.className() + " , " + dimension + ")";
        }

        @Override
        public OptionalInt fixedLength() {
            OptionalInt one = element.fixedLength();
            return one.isPresent() ? OptionalInt.of(Math.multiplyExact(one.getAsInt(), dimension)) : one;
        }
    }

    /** {@code inner} as one value: never multi-cell. */
    record Frozen(CqlType inner) implements CqlType {
        @Override
        public String className() {
            return PACKAGE + "FrozenType(" + inner.className() + ")";
        }

        @Override
        public OptionalInt fixedLength() {
            return inner.fixedLength();
        }

        @Override
        public boolean isReversed() {
            return inner.isReversed();
        }

        @Override
        public CqlType plain() {
            return inner.plain();
        }
    }

    /** {@code inner} in descending order; same bytes. */
    record Reversed(CqlType inner) implements CqlType {
        @Override
        public String className() {
            return PACKAGE + "ReversedType(" + inner.className() + ")";
        }

        @Override
        public OptionalInt fixedLength() {
            return inner.fixedLength();
        }

        @Override
        public boolean isReversed() {
            return true;
        }

        @Override
        public CqlType plain() {
            return inner.plain();
        }
    }

    /** The partition key of several columns: each {@code u16} length, value, and a byte 0. */
    record Composite(List<CqlType> parts) implements CqlType {
        public Composite {
            parts = List.copyOf(parts);
        }

        @Override
        public String className() {
            return PACKAGE + "CompositeType(" + namesOf(parts) + ")";
        }
    }

    private static String namesOf(List<CqlType> types) {
        return types.stream().map(CqlType::className).collect(Collectors.joining(","));
    }
}
