package io.sluice.sstable.component;

import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Identifies an SSTable in its folder: a {@link Sequence} number or a {@link TimeOrdered} unique id. Sequence ids sort
 * before time-ordered ones. Immutable.
 */
public sealed interface SSTableId extends Comparable<SSTableId> {

    /** A running number, 1 to 2^31 - 1. Its text is 1 to 10 decimal digits. */
    record Sequence(int number) implements SSTableId {
        public Sequence {
            if (number < 0) {
                throw new IllegalArgumentException("sequence id: " + number + " (expected: not negative)");
            }
        }

        @Override
        public String toString() {
            return Integer.toString(number);
        }
    }

    /**
     * A version-1 UUID, as 28 characters of base 36: {@code dddd_ssss_nnnnnrrrrrrrrrrrrr}: days, seconds of the day,
     * 100 ns units of the second, then the UUID's low 64 bits as an unsigned number.
     */
    record TimeOrdered(UUID uuid) implements SSTableId {
        private static final long TICKS_PER_SECOND = 10_000_000L;
        private static final long TICKS_PER_DAY = 86_400L * TICKS_PER_SECOND;

        public TimeOrdered {
            if (uuid.version() != 1) {
                throw new IllegalArgumentException(
                        "time-ordered id: UUID version " + uuid.version() + " (expected: 1)");
            }
        }

        @Override
        public String toString() {
            long ticks = uuid.timestamp();
            return pad(ticks / TICKS_PER_DAY, 4)
                    + "_" + pad(ticks % TICKS_PER_DAY / TICKS_PER_SECOND, 4)
                    + "_" + pad(ticks % TICKS_PER_SECOND, 5)
                    + pad(Long.toUnsignedString(uuid.getLeastSignificantBits(), 36), 13);
        }

        static Optional<SSTableId> parse(String text) {
            long days = Long.parseLong(text.substring(0, 4), 36);
            long seconds = Long.parseLong(text.substring(5, 9), 36);
            long units = Long.parseLong(text.substring(10, 15), 36);
            BigInteger low = new BigInteger(text.substring(15), 36);
            long ticks = days * TICKS_PER_DAY + seconds * TICKS_PER_SECOND + units;
            if (seconds >= 86_400 || units >= TICKS_PER_SECOND || ticks >>> 60 != 0 || low.bitLength() > 64) {
                return Optional.empty();
            }
            long high = ticks << 32 | (ticks >>> 16 & 0xffff0000L) | 0x1000 | ticks >>> 48;
            return Optional.of(new TimeOrdered(new UUID(high, low.longValue())));
        }

        private static String pad(long number, int width) {
            return pad(Long.toString(number, 36), width);
        }

        private static String pad(String digits, int width) {
            return "0".repeat(width - digits.length()) + digits;
        }
    }

    Pattern SEQUENCE = Pattern.compile("[0-9]{1,10}");
    Pattern TIME_ORDERED = Pattern.compile("[0-9a-z]{4}_[0-9a-z]{4}_[0-9a-z]{18}");

    /** Parses {@code text}; empty if it is not an id. Upper case is accepted. */
    static Optional<SSTableId> parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (SEQUENCE.matcher(lower).matches()) {
            long number = Long.parseLong(lower);
            return number > Integer.MAX_VALUE ? Optional.empty() : Optional.of(new Sequence((int) number));
        }
        return TIME_ORDERED.matcher(lower).matches() ? TimeOrdered.parse(lower) : Optional.empty();
    }

    /** Sequence before time-ordered; then by number, or by time and the low bits as unsigned. */
    @Override
    default int compareTo(SSTableId other) {
        if (this instanceof Sequence a && other instanceof Sequence b) {
            return Integer.compare(a.number(), b.number());
        }
        if (this instanceof TimeOrdered a && other instanceof TimeOrdered b) {
            int byTime = Long.compare(a.uuid().timestamp(), b.uuid().timestamp());
            return byTime != 0
                    ? byTime
                    : Long.compareUnsigned(
                            a.uuid().getLeastSignificantBits(), b.uuid().getLeastSignificantBits());
        }
        return this instanceof Sequence ? -1 : 1;
    }
}
