package io.sluice.sstable.type;

import io.sluice.sstable.encoding.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;

/**
 * The order of serialized values of one type, as clusterings and cell paths are sorted. The empty value comes first. A
 * total order: malformed values are ordered as unsigned bytes. Stateless.
 */
public final class ValueOrder {
    private static final Comparator<Bytes> UNSIGNED = Comparator.naturalOrder();
    private static final Comparator<Bytes> SIGNED = (a, b) -> {
        int bySign = Integer.compare(a.at(0), b.at(0));
        return bySign != 0 ? bySign : a.compareTo(b);
    };

    private ValueOrder() {}

    /** The order of {@code type}; descending if it is reversed. */
    public static Comparator<Bytes> of(CqlType type) {
        Comparator<Bytes> filled = whereWellFormed(ofFilled(type.plain()));
        Comparator<Bytes> ascending =
                (a, b) -> a.isEmpty() || b.isEmpty() ? Boolean.compare(b.isEmpty(), a.isEmpty()) : filled.compare(a, b);
        return type.isReversed() ? ascending.reversed() : ascending;
    }

    /** The order of the paths of a multi-cell column of {@code type}. */
    public static Comparator<Bytes> ofPaths(CqlType type) {
        if (type instanceof CqlType.ListOf) {
            return of(CqlType.Scalar.TIMEUUID);
        }
        if (type instanceof CqlType.SetOf set) {
            return of(set.element());
        }
        return type instanceof CqlType.MapOf map ? of(map.key()) : UNSIGNED;
    }

    private static Comparator<Bytes> whereWellFormed(Comparator<Bytes> order) {
        return (a, b) -> {
            try {
                return order.compare(a, b);
            } catch (BufferUnderflowException
                    | IndexOutOfBoundsException
                    | NumberFormatException
                    | ArithmeticException malformed) {
                return a.compareTo(b);
            }
        };
    }

    private static Comparator<Bytes> ofFilled(CqlType type) {
        if (type instanceof CqlType.Scalar scalar) {
            return ofScalar(scalar);
        }
        if (type instanceof CqlType.ListOf list) {
            return elements(List.of(of(list.element())));
        }
        if (type instanceof CqlType.SetOf set) {
            return elements(List.of(of(set.element())));
        }
        if (type instanceof CqlType.MapOf map) {
            return elements(List.of(of(map.key()), of(map.value())));
        }
        if (type instanceof CqlType.Tuple tuple) {
            return fields(tuple.elements().stream().map(ValueOrder::of).toList());
        }
        if (type instanceof CqlType.UserType user) {
            return fields(user.fields().stream().map(field -> of(field.type())).toList());
        }
        if (type instanceof CqlType.Composite composite) {
            return parts(composite.parts().stream().map(ValueOrder::of).toList());
        }
        return type instanceof CqlType.Vector vector ? vector(vector) : UNSIGNED;
    }

    private static Comparator<Bytes> ofScalar(CqlType.Scalar scalar) {
        return switch (scalar) {
            case INT, BIGINT, TIMESTAMP, TINYINT, SMALLINT, COUNTER -> SIGNED;
            case FLOAT -> Comparator.comparing(value -> value.asBuffer().getFloat());
            case DOUBLE -> Comparator.comparing(value -> value.asBuffer().getDouble());
            case VARINT -> Comparator.comparing(value -> new BigInteger(value.toArray()));
            case DECIMAL -> Comparator.comparing(ValueOrder::decimal);
            case UUID -> ValueOrder::compareUuids;
            case TIMEUUID -> ValueOrder::compareTimeUuids;
            case LEXICAL_UUID ->
                Comparator.<Bytes>comparingLong(value -> value.asBuffer().getLong())
                        .thenComparingLong(value -> value.asBuffer().getLong(Long.BYTES));
            case BOOLEAN, OLD_DATE, EMPTY, DATE, TIME, INET, DURATION, TEXT, ASCII, BLOB -> UNSIGNED;
        };
    }

    private static BigDecimal decimal(Bytes value) {
        int scale = value.asBuffer().getInt();
        BigInteger unscaled = new BigInteger(value.slice(4, value.length() - 4).toArray());
        return new BigDecimal(unscaled, scale);
    }

    private static int compareUuids(Bytes a, Bytes b) {
        int versionA = a.at(6) >> 4 & 0xf;
        int versionB = b.at(6) >> 4 & 0xf;
        if (versionA != versionB || versionA != 1) {
            return versionA != versionB ? Integer.compare(versionA, versionB) : a.compareTo(b);
        }
        int byTime = Long.compare(timestamp(a), timestamp(b));
        return byTime != 0 ? byTime : a.slice(8, 8).compareTo(b.slice(8, 8));
    }

    private static int compareTimeUuids(Bytes a, Bytes b) {
        int byTime = Long.compare(timestamp(a), timestamp(b));
        if (byTime != 0) {
            return byTime;
        }
        for (int i = 8; i < 16; i++) {
            if (a.at(i) != b.at(i)) {
                return Byte.compare(a.at(i), b.at(i)); // signed, as in the first implementation
            }
        }
        return 0;
    }

    private static long timestamp(Bytes uuid) {
        long high = uuid.asBuffer().getLong();
        return (high & 0xfffL) << 48 | (high >>> 16 & 0xffffL) << 32 | high >>> 32;
    }

    /** The order of frozen collections: by elements, cycling through {@code orders}, then fewer elements first. */
    private static Comparator<Bytes> elements(List<Comparator<Bytes>> orders) {
        return (a, b) -> {
            ByteBuffer left = a.asBuffer();
            ByteBuffer right = b.asBuffer();
            long countLeft = (long) left.getInt() * orders.size();
            long countRight = (long) right.getInt() * orders.size();
            for (long i = 0; i < Math.min(countLeft, countRight); i++) {
                int order = orders.get((int) (i % orders.size())).compare(sized(left), sized(right));
                if (order != 0) {
                    return order;
                }
            }
            return Long.compare(countLeft, countRight);
        };
    }

    /** The order of tuples: by fields; a null or missing field first. */
    private static Comparator<Bytes> fields(List<Comparator<Bytes>> orders) {
        return (a, b) -> {
            ByteBuffer left = a.asBuffer();
            ByteBuffer right = b.asBuffer();
            for (Comparator<Bytes> order : orders) {
                boolean nullLeft = isNull(left);
                boolean nullRight = isNull(right);
                int compared = nullLeft || nullRight
                        ? Boolean.compare(nullRight, nullLeft)
                        : order.compare(sized(left), sized(right));
                if (compared != 0) {
                    return compared;
                }
                skipNull(left, nullLeft);
                skipNull(right, nullRight);
            }
            return 0;
        };
    }

    /**
     * The order of composites: by parts, of which each has its length, its value and its end; then fewer parts first.
     */
    private static Comparator<Bytes> parts(List<Comparator<Bytes>> orders) {
        return (a, b) -> {
            ByteBuffer left = a.asBuffer();
            ByteBuffer right = b.asBuffer();
            for (int i = 0; left.hasRemaining() && right.hasRemaining(); i++) {
                int compared = orders.get(i).compare(part(left), part(right));
                if (compared == 0) {
                    compared = Byte.compare(left.get(), right.get()); // before, at or after all that begin so
                }
                if (compared != 0) {
                    return compared;
                }
            }
            return Boolean.compare(left.hasRemaining(), right.hasRemaining());
        };
    }

    private static Bytes part(ByteBuffer in) {
        return Values.take(in, in.getShort() & 0xffff);
    }

    private static boolean isNull(ByteBuffer in) {
        return !in.hasRemaining() || in.getInt(in.position()) < 0;
    }

    private static void skipNull(ByteBuffer in, boolean isNull) {
        if (isNull && in.hasRemaining()) {
            in.getInt();
        }
    }

    private static Comparator<Bytes> vector(CqlType.Vector vector) {
        Comparator<Bytes> order = of(vector.element());
        return (a, b) -> {
            ByteBuffer left = a.asBuffer();
            ByteBuffer right = b.asBuffer();
            for (int i = 0; i < vector.dimension(); i++) {
                int compared = order.compare(Values.read(vector.element(), left), Values.read(vector.element(), right));
                if (compared != 0) {
                    return compared;
                }
            }
            return 0;
        };
    }

    private static Bytes sized(ByteBuffer in) {
        return Values.take(in, Math.max(0, in.getInt()));
    }
}
