package io.sluice.sstable.type;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.math.BigInteger;
import java.nio.ByteBuffer;

/**
 * Encodes integers and decimals of any length so that their order is preserved. Stateless.
 *
 * <pre>
 * bigint of n bytes, 1 to 9: n ones, a zero, then the number in the other 7n - 1 bits; in nine bytes there is no such zero
 * varint: likewise if its magnitude takes 6 bytes at most, else u8 0xff, uvint (bytes of the magnitude - 7), magnitude
 * Negative ones are the inverted form of what inverting their bits gives.
 *
 * decimal: m * 100^e with 0.01 &lt;= |m| &lt; 1; f is e of positive and -e of negative ones
 * u8 of positive ones c0, of negative ones 40; plus, if f &gt; 0, or minus, if f &lt; 0, the number of bytes of |f|
 * lowest bytes of f, as many
 * u8 80 + digit of base 100, of negative ones -100 to 99, each as great as it may be; u8 00. Zero is 80 alone.
 * </pre>
 */
final class ComparableNumbers {
    private static final int MAX_BYTES = 9;
    private static final int MAX_SHORT_BYTES = 6;
    private static final int ZERO = 0x80;
    private static final int POSITIVE = 0xc0;
    private static final int NEGATIVE = 0x40;

    private ComparableNumbers() {}

    static void write(long number, GrowingBuffer out) {
        long invert = number >> 63;
        long magnitude = number ^ invert;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(magnitude);
        int bytes = bits / 7 + 1;
        if (bytes >= MAX_BYTES) {
            out.putByte((int) (0xff ^ invert)).putLong((magnitude | Long.MIN_VALUE) ^ invert);
            return;
        }
        long ones = (1L << bytes) - 1;
        long form = (magnitude | ones << (7 * bytes)) ^ invert;
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            out.putByte((int) (form >>> shift));
        }
    }

    static void write(BigInteger number, GrowingBuffer out) {
        int bytes = bytesOf(number.bitLength());
        if (bytes <= MAX_SHORT_BYTES) {
            write(number.longValue(), out);
            return;
        }
        int invert = number.signum() < 0 ? 0xff : 0;
        out.putByte(0xff ^ invert);
        var length = new GrowingBuffer();
        length.putUnsignedVInt(bytes - (MAX_SHORT_BYTES + 1));
        ByteBuffer lengthBytes = length.written();
        while (lengthBytes.hasRemaining()) {
            out.putByte(lengthBytes.get() ^ invert);
        }
        byte[] all = number.toByteArray(); // possibly after a byte with only the sign
        out.put(all, all.length - bytes, bytes);
    }

    private static int bytesOf(int bits) {
        return (bits + 7) / 8;
    }

    static void writeDecimal(Bytes value, GrowingBuffer out) {
        int scale = value.asBuffer().getInt();
        BigInteger unscaled = new BigInteger(value.slice(4, value.length() - 4).toArray());
        if (unscaled.signum() == 0) {
            out.putByte(ZERO);
            return;
        }
        String digits = unscaled.abs().toString();
        // Moves the point before the digits, by an even number of places, because digits have base 100.
        long places = digits.length() - (long) scale;
        long exponent = Math.floorDiv(places + 1, 2);
        boolean isNegative = unscaled.signum() < 0;
        writeExponent(isNegative ? -exponent : exponent, isNegative ? NEGATIVE : POSITIVE, out);
        writeDigits((places % 2 == 0 ? "" : "0") + digits, isNegative, out);
    }

    private static void writeExponent(long exponent, int sign, GrowingBuffer out) {
        int bytes = bytesOf(Long.SIZE - Long.numberOfLeadingZeros(Math.abs(exponent)));
        out.putByte(exponent < 0 ? sign - bytes : sign + bytes);
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            out.putByte((int) (exponent >> shift));
        }
    }

    private static void writeDigits(String digits, boolean isNegative, GrowingBuffer out) {
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        for (int i = 0; i < end; i += 2) {
            int digit = 10 * Character.digit(digits.charAt(i), 10)
                    + (i + 1 < end ? Character.digit(digits.charAt(i + 1), 10) : 0);
            boolean isLast = i + 2 >= end;
            // For negative numbers every digit is rounded down, and the rest is positive: -1.1 is -2 and 90.
            int down = isLast ? -digit : -digit - 1;
            out.putByte(ZERO + (!isNegative ? digit : i == 0 ? down : isLast ? 100 - digit : 99 - digit));
        }
        out.putByte(0);
    }
}
