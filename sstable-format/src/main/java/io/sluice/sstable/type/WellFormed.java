package io.sluice.sstable.type;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType.Scalar;
import java.util.Optional;

/** A well-formed value of each scalar type, for items that nobody asks for. Stateless. */
public final class WellFormed {
    private static final int VERSION_BYTE = 6;
    private static final int VARIANT_BYTE = 8;
    private static final int DAY_0 = 1 << 31;

    private WellFormed() {}

    /** A short value; empty if the type is a counter, or not scalar. */
    public static Optional<Bytes> valueOf(CqlType type) {
        if (!(type.plain() instanceof Scalar scalar) || scalar == Scalar.COUNTER) {
            return Optional.empty();
        }
        return Optional.of(
                switch (scalar) {
                    case EMPTY, TEXT, ASCII, BLOB, COUNTER -> Bytes.EMPTY;
                    case BOOLEAN, TINYINT, VARINT -> zeros(1);
                    case SMALLINT -> zeros(2);
                    case DURATION -> zeros(3); // a vint each of months, days and nanoseconds
                    case INT, FLOAT, INET -> zeros(4);
                    case DATE -> Bytes.ofInt(DAY_0);
                    case DECIMAL -> zeros(5); // the scale and an integer
                    case BIGINT, DOUBLE, TIMESTAMP, OLD_DATE, TIME -> zeros(8);
                    case UUID, LEXICAL_UUID -> zeros(16);
                    case TIMEUUID -> timeuuid();
                });
    }

    /** Whether these 16 bytes are a UUID of version 1 (RFC 9562). */
    public static boolean isTimeuuid(Bytes uuid) {
        return (uuid.at(VERSION_BYTE) & 0xf0) == 0x10 && (uuid.at(VARIANT_BYTE) & 0xc0) == 0x80;
    }

    private static Bytes timeuuid() {
        byte[] uuid = new byte[16];
        uuid[VERSION_BYTE] = 0x10;
        uuid[VARIANT_BYTE] = (byte) 0x80;
        return Bytes.wrap(uuid);
    }

    private static Bytes zeros(int lengthBytes) {
        return Bytes.wrap(new byte[lengthBytes]);
    }
}
