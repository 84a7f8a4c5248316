package io.sluice.sstable.generate;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.sstable.type.ValueOrder;
import io.sluice.sstable.type.Values;
import java.math.BigInteger;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** Generates well-formed values of any type. Not thread-safe: confined to the owner of its source of randomness. */
final class RandomValues {
    private static final int MAX_ELEMENTS = 4;
    private static final int MAX_LENGTH = 24;
    private static final long NANOS_PER_DAY = 86_400_000_000_000L;
    private static final long SOME_MILLIS = 1_700_000_000_000L;
    private static final List<String> WORDS =
            List.of("sluice", "gate", "Wasser", "straße", "río", "水", "delta", "weir", "lock", "basin");

    private final RandomGenerator random;

    RandomValues(RandomGenerator random) {
        this.random = random;
    }

    /** A value; for a multi-cell type, the value as if it were frozen. Empty only if the type has no other value. */
    Bytes next(CqlType type) {
        CqlType plain = type.plain();
        if (plain instanceof Scalar scalar) {
            return scalar(scalar);
        }
        GrowingBuffer out = new GrowingBuffer();
        if (plain instanceof CqlType.ListOf list) {
            int count = random.nextInt(MAX_ELEMENTS);
            out.putInt(count);
            IntStream.range(0, count).forEach(i -> sized(next(list.element()), out));
        } else if (plain instanceof CqlType.SetOf set) {
            SortedSet<Bytes> elements = distinct(set.element(), random.nextInt(MAX_ELEMENTS));
            out.putInt(elements.size());
            elements.forEach(element -> sized(element, out));
        } else if (plain instanceof CqlType.MapOf map) {
            SortedSet<Bytes> keys = distinct(map.key(), random.nextInt(MAX_ELEMENTS));
            out.putInt(keys.size());
            for (Bytes key : keys) {
                sized(key, out);
                sized(next(map.value()), out);
            }
        } else if (plain instanceof CqlType.Tuple tuple) {
            tuple.elements().forEach(element -> field(element, out));
        } else if (plain instanceof CqlType.UserType user) {
            user.fields().forEach(field -> field(field.type(), out));
        } else if (plain instanceof CqlType.Vector vector) {
            IntStream.range(0, vector.dimension())
                    .forEach(i -> Values.write(vector.element(), next(vector.element()), out));
        } else if (plain instanceof CqlType.Composite composite) {
            composite.parts().forEach(part -> out.putShortBytes(next(part)).putByte(0));
        }
        return out.toBytes();
    }

    /** Up to {@code count} different values in the order of their type. */
    SortedSet<Bytes> distinct(CqlType type, int count) {
        SortedSet<Bytes> values = new TreeSet<>(ValueOrder.of(type));
        for (int i = 0; i < count; i++) {
            values.add(next(type));
        }
        return values;
    }

    private void field(CqlType type, GrowingBuffer out) {
        if (random.nextInt(5) == 0) {
            out.putInt(-1);
        } else {
            sized(next(type), out);
        }
    }

    private static void sized(Bytes value, GrowingBuffer out) {
        out.putInt(value.length()).put(value);
    }

    private Bytes scalar(Scalar type) {
        return switch (type) {
            case BOOLEAN -> Bytes.wrap(new byte[] {(byte) random.nextInt(2)});
            case TINYINT -> bytes(1);
            case SMALLINT -> bytes(2);
            case INT, DATE -> bytes(4);
            case FLOAT -> Bytes.ofInt(Float.floatToIntBits(random.nextFloat() * 1000 - 500));
            case DOUBLE -> Bytes.ofLong(Double.doubleToLongBits(random.nextDouble() * 1000 - 500));
            case BIGINT -> bytes(8);
            case TIMESTAMP, OLD_DATE -> Bytes.ofLong(random.nextLong(2 * SOME_MILLIS));
            case TIME -> Bytes.ofLong(random.nextLong(NANOS_PER_DAY));
            case UUID, LEXICAL_UUID -> uuid(4);
            case TIMEUUID -> uuid(1);
            case INET -> bytes(random.nextBoolean() ? 4 : 16);
            case VARINT -> Bytes.wrap(number().toByteArray());
            case DECIMAL ->
                new GrowingBuffer()
                        .putInt(random.nextInt(12))
                        .put(Bytes.wrap(number().toByteArray()))
                        .toBytes();
            case DURATION ->
                new GrowingBuffer()
                        .putSignedVInt(random.nextInt(100))
                        .putSignedVInt(random.nextInt(1000))
                        .putSignedVInt(random.nextLong(NANOS_PER_DAY))
                        .toBytes();
            case TEXT -> Bytes.utf8(words());
            case ASCII -> Bytes.utf8(Long.toString(random.nextLong(), 36));
            case BLOB -> bytes(1 + random.nextInt(MAX_LENGTH));
            case COUNTER -> counter();
            case EMPTY -> Bytes.EMPTY;
        };
    }

    private Bytes bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.wrap(bytes);
    }

    private Bytes uuid(int version) {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        bytes[6] = (byte) ((bytes[6] & 0x0f) | (version << 4));
        bytes[8] = (byte) ((bytes[8] & 0x3f) | 0x80);
        return Bytes.wrap(bytes);
    }

    private BigInteger number() {
        return BigInteger.valueOf(random.nextLong()).shiftLeft(random.nextInt(40));
    }

    private String words() {
        StringBuilder text = new StringBuilder();
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            text.append(WORDS.get(random.nextInt(WORDS.size())));
            text.append(random.nextInt(1000));
        }
        return text.toString();
    }

    /** A counter with one global shard. */
    private Bytes counter() {
        return new GrowingBuffer()
                .putShort(1)
                .putShort(Short.MIN_VALUE)
                .put(uuid(4))
                .putLong(random.nextInt(1 << 20))
                .putLong(random.nextInt(1 << 20) - (1 << 19))
                .toBytes();
    }
}
