package io.sluice.sstable.type;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.EscapedBytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;

/**
 * Encodes serialized values for the paths of a row trie: the order of unsigned bytes is that of {@link ValueOrder}, and
 * no encoding is a prefix of another. Stateless.
 *
 * <pre>
 * int, smallint, tinyint, timestamp          the sign bit flipped
 * date, time                                 as they are
 * float, double                              the sign bit flipped; negative ones inverted
 * bigint, varint, decimal                    see ComparableNumbers
 * text, blob, inet                           {@link EscapedBytes}
 * uuid                                       version first, then by time if that is 1, else as it is
 * lists, sets, maps, tuples, vectors         each part after 40, or 3e for null; 38 at the end
 * reversed                                   all bits of the form inverted
 * </pre>
 */
public final class ComparableBytes {
    /** Precedes a value. */
    static final int NEXT = 0x40;

    /** Encodes a null; inside collections, tuples and vectors also an empty value without an encoding. */
    private static final int NULL = 0x3e;

    private static final int EMPTY = 0x3f;
    private static final int EMPTY_REVERSED = 0x41;

    /** Ends a sequence. */
    public static final int END = 0x38;

    private ComparableBytes() {}

    /**
     * Whether values of this type have an encoding: all except composites and counters, which are not used as
     * clusterings today.
     */
    public static boolean isKnown(CqlType type) {
        return !(type.plain() instanceof CqlType.Composite) && type.plain() != CqlType.Scalar.COUNTER;
    }

    /** Appends the value of a clustering column: {@link #NEXT} and its encoding, or the encoding of an empty value. */
    public static void writeClustering(CqlType type, Bytes value, GrowingBuffer out) {
        if (value.isEmpty() && !hasFormOfEmpty(type.plain())) {
            out.putByte(type.isReversed() ? EMPTY_REVERSED : EMPTY);
        } else {
            writeForm(type, value, out);
        }
    }

    /** Appends the encoding of a null. */
    public static void writeNull(GrowingBuffer out) {
        out.putByte(NULL);
    }

    /** Appends an element or field. */
    private static void writePart(CqlType type, Bytes value, GrowingBuffer out) {
        if (value.isEmpty() && !hasFormOfEmpty(type.plain())) {
            writeNull(out);
        } else {
            writeForm(type, value, out);
        }
    }

    private static void writeForm(CqlType type, Bytes value, GrowingBuffer out) {
        out.putByte(NEXT);
        if (!type.isReversed()) {
            write(type.plain(), value, out);
            return;
        }
        var form = new GrowingBuffer();
        write(type.plain(), value, form);
        ByteBuffer bytes = form.written();
        while (bytes.hasRemaining()) {
            out.putByte(~bytes.get());
        }
    }

    private static boolean hasFormOfEmpty(CqlType plain) {
        return plain instanceof CqlType.Scalar scalar
                && switch (scalar) {
                    case TEXT, ASCII, BLOB, INET, DURATION -> true;
                    default -> false;
                };
    }

    private static void write(CqlType plain, Bytes value, GrowingBuffer out) {
        if (plain instanceof CqlType.Scalar scalar) {
            writeScalar(scalar, value, out);
        } else if (plain instanceof CqlType.ListOf list) {
            writeElements(List.of(list.element()), value, out);
        } else if (plain instanceof CqlType.SetOf set) {
            writeElements(List.of(set.element()), value, out);
        } else if (plain instanceof CqlType.MapOf map) {
            writeElements(List.of(map.key(), map.value()), value, out);
        } else if (plain instanceof CqlType.Tuple tuple) {
            writeFields(tuple.elements(), value, out);
        } else if (plain instanceof CqlType.UserType user) {
            writeFields(user.fields().stream().map(CqlType.UserType.Field::type).toList(), value, out);
        } else if (plain instanceof CqlType.Vector vector) {
            writeVector(vector, value, out);
        } else {
            throw new IllegalArgumentException(
                    "type of a clustering column: " + plain.className() + " (expected: not a composite)");
        }
    }

    private static void writeScalar(CqlType.Scalar scalar, Bytes value, GrowingBuffer out) {
        switch (scalar) {
            case INT, TIMESTAMP, TINYINT, SMALLINT -> writeFlipped(value, out);
            case BIGINT -> ComparableNumbers.write(value.asBuffer().getLong(), out);
            case FLOAT, DOUBLE -> {
                if (value.at(0) < 0) {
                    writeInverted(value, out);
                } else {
                    writeFlipped(value, out);
                }
            }
            case VARINT -> ComparableNumbers.write(new BigInteger(value.toArray()), out);
            case DECIMAL -> ComparableNumbers.writeDecimal(value, out);
            case UUID -> writeUuid(value, out);
            case TIMEUUID -> writeTimeUuid(value, out);
            case BOOLEAN -> out.putByte(value.at(0) == 0 ? 0 : 1);
            case LEXICAL_UUID -> {
                writeFlipped(value.slice(0, Long.BYTES), out);
                writeFlipped(value.slice(Long.BYTES, Long.BYTES), out);
            }
            case OLD_DATE, EMPTY, DATE, TIME -> out.put(value);
            case INET, DURATION, TEXT, ASCII, BLOB -> EscapedBytes.write(value, out);
            case COUNTER -> throw new IllegalArgumentException("a counter (expected: no clustering column)");
        }
    }

    private static void writeFlipped(Bytes value, GrowingBuffer out) {
        out.putByte(value.at(0) ^ 0x80).put(value.slice(1, value.length() - 1));
    }

    private static void writeInverted(Bytes value, GrowingBuffer out) {
        for (int i = 0; i < value.length(); i++) {
            out.putByte(~value.at(i));
        }
    }

    /** Writes the version, then for version 1 the time, for others the bytes without the version. */
    private static void writeUuid(Bytes uuid, GrowingBuffer out) {
        long high = uuid.asBuffer().getLong();
        long version = high >>> 12 & 0xf;
        long rest = version == 1 ? timestamp(high) : ((high >>> 4) & 0x0fff_ffff_ffff_f000L) | (high & 0xfffL);
        out.putLong(version << 60 | rest).put(uuid.slice(8, 8));
    }

    private static void writeTimeUuid(Bytes uuid, GrowingBuffer out) {
        long high = uuid.asBuffer().getLong();
        out.putLong(1L << 60 | timestamp(high));
        out.putLong(uuid.asBuffer().getLong(8) ^ 0x8080_8080_8080_8080L); // bytes are ordered as signed
    }

    private static long timestamp(long high) {
        return (high & 0xfffL) << 48 | (high >>> 16 & 0xffffL) << 32 | high >>> 32;
    }

    private static void writeElements(List<CqlType> types, Bytes value, GrowingBuffer out) {
        ByteBuffer in = value.asBuffer();
        long count = (long) in.getInt() * types.size();
        for (long i = 0; i < count; i++) {
            writeSized(types.get((int) (i % types.size())), in, out);
        }
        out.putByte(END);
    }

    private static void writeSized(CqlType type, ByteBuffer in, GrowingBuffer out) {
        int length = in.getInt();
        if (length < 0) {
            writeNull(out);
        } else {
            writePart(type, Values.take(in, length), out);
        }
    }

    /** Writes fields; trailing nulls are equivalent to missing fields. */
    private static void writeFields(List<CqlType> types, Bytes value, GrowingBuffer out) {
        ByteBuffer in = value.asBuffer();
        var nulls = new GrowingBuffer();
        for (CqlType type : types) {
            if (!in.hasRemaining()) {
                break;
            }
            if (in.getInt(in.position()) < 0) {
                in.getInt();
                writeNull(nulls);
            } else {
                out.put(nulls);
                nulls.clear();
                writeSized(type, in, out);
            }
        }
        out.putByte(END);
    }

    private static void writeVector(CqlType.Vector vector, Bytes value, GrowingBuffer out) {
        ByteBuffer in = value.asBuffer();
        for (CqlType element : Collections.nCopies(vector.dimension(), vector.element())) {
            writePart(element, Values.read(element, in), out);
        }
        out.putByte(END);
    }
}
