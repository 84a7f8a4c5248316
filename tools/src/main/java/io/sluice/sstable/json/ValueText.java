package io.sluice.sstable.json;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.VInts;
import io.sluice.sstable.type.CqlType.Scalar;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.UUID;

/** Formats scalar values in readable form; well-formed values only. Stateless. */
final class ValueText {
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.nnnnnnnnn");
    private static final int SHARD_BYTES = 32;
    private static final int MAX_NUMBER_BYTES = 1 << 12;

    private ValueText() {}

    static String of(Scalar type, Bytes value) {
        ByteBuffer in = value.asBuffer();
        return switch (type) {
            case BOOLEAN -> Boolean.toString(in.get() != 0);
            case TINYINT -> Byte.toString(in.get());
            case SMALLINT -> Short.toString(in.getShort());
            case INT -> Integer.toString(in.getInt());
            case BIGINT -> Long.toString(in.getLong());
            case FLOAT -> Float.toString(in.getFloat());
            case DOUBLE -> Double.toString(in.getDouble());
            case TIMESTAMP, OLD_DATE -> TIMESTAMP.format(Instant.ofEpochMilli(in.getLong()));
            case DATE -> LocalDate.ofEpochDay(in.getInt() ^ Integer.MIN_VALUE).toString();
            case TIME -> TIME.format(LocalTime.ofNanoOfDay(in.getLong()));
            case UUID, TIMEUUID, LEXICAL_UUID -> new UUID(in.getLong(), in.getLong()).toString();
            case INET -> inet(value);
            case VARINT -> new BigInteger(ofNumber(value).toArray()).toString();
            case DECIMAL -> decimal(value).toString();
            case DURATION -> duration(in);
            case TEXT, ASCII -> value.utf8();
            case BLOB -> "0x" + value.hex();
            case COUNTER -> Long.toString(counter(in));
            case EMPTY -> "";
        };
    }

    /** Converting a number to digits takes more than linear time: longer numbers are printed as bytes. */
    private static Bytes ofNumber(Bytes value) {
        if (value.length() > MAX_NUMBER_BYTES) {
            throw new IllegalArgumentException(
                    "length of a number: " + value.length() + " bytes (expected: at most " + MAX_NUMBER_BYTES + ")");
        }
        return value;
    }

    static BigDecimal decimal(Bytes value) {
        ofNumber(value);
        int scale = value.asBuffer().getInt();
        return new BigDecimal(new BigInteger(value.slice(4, value.length() - 4).toArray()), scale);
    }

    private static String inet(Bytes value) {
        try {
            return InetAddress.getByAddress(value.toArray()).getHostAddress();
        } catch (UnknownHostException wrongLength) {
            throw new IllegalArgumentException(wrongLength);
        }
    }

    /** The sum of the counts of all shards. */
    private static long counter(ByteBuffer context) {
        int headerBytes = Math.max(0, context.getShort()) * Short.BYTES;
        long sum = 0;
        for (int shard = Short.BYTES + headerBytes; shard + SHARD_BYTES <= context.limit(); shard += SHARD_BYTES) {
            sum += context.getLong(shard + SHARD_BYTES - Long.BYTES);
        }
        return sum;
    }

    private static String duration(ByteBuffer in) {
        long months = VInts.readSigned(in);
        long days = VInts.readSigned(in);
        long nanos = VInts.readSigned(in);
        StringBuilder text = new StringBuilder(months < 0 || days < 0 || nanos < 0 ? "-" : "");
        long rest = append(text, Math.abs(months), 12, "y");
        append(text, rest, 1, "mo");
        append(text, Math.abs(days), 1, "d");
        rest = append(text, Math.abs(nanos), 3_600_000_000_000L, "h");
        rest = append(text, rest, 60_000_000_000L, "m");
        rest = append(text, rest, 1_000_000_000L, "s");
        rest = append(text, rest, 1_000_000L, "ms");
        rest = append(text, rest, 1_000L, "us");
        append(text, rest, 1, "ns");
        return text.toString();
    }

    private static long append(StringBuilder text, long amount, long unit, String name) {
        if (amount >= unit) {
            text.append(amount / unit).append(name);
        }
        return amount % unit;
    }
}
