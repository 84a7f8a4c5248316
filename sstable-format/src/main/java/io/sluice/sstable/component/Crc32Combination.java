package io.sluice.sstable.component;

/**
 * Computes the CRC-32 of a concatenation from the CRC-32 of each part, without reading bytes or allocating objects.
 * Stateless.
 *
 * <p>A CRC is a polynomial over GF(2), modulo that of CRC-32. Appending n bytes to a message multiplies it by x^(8n),
 * which is computed by squaring: the number of steps is the number of bits of the length. The CRC of the whole is the
 * first CRC times that, xor the second CRC.
 */
public final class Crc32Combination {
    private static final int POLYNOMIAL = 0xedb88320; // reflected: the highest bit is the coefficient of x^0
    private static final int ONE = 1 << 31;
    private static final int ONE_BYTE = ONE >>> Byte.SIZE;

    private Crc32Combination() {}

    /**
     * The CRC-32 of A followed by B.
     *
     * @param first CRC-32 of A, 0 to 2^32 - 1
     * @param second CRC-32 of B, 0 to 2^32 - 1
     * @param secondLengthBytes length of B, not negative
     */
    public static long combine(long first, long second, long secondLengthBytes) {
        if (secondLengthBytes < 0) {
            throw new IllegalArgumentException("length: " + secondLengthBytes + " (expected: not negative)");
        }
        if (first == 0) {
            return second; // of nothing, for example: all products would be 0
        }
        int crc = (int) first;
        int power = ONE_BYTE;
        for (long rest = secondLengthBytes; rest != 0; rest >>>= 1) {
            if ((rest & 1) != 0) {
                crc = product(power, crc);
            }
            power = product(power, power);
        }
        return (crc ^ (int) second) & 0xffffffffL;
    }

    /** The polynomial by which appending so many bytes multiplies. */
    static int powerOf(long lengthBytes) {
        return (int) combine(ONE & 0xffffffffL, 0, lengthBytes);
    }

    static int product(int left, int right) {
        int sum = 0;
        int shifted = right; // times x^0, x^1, …
        for (int rest = left; rest != 0; rest <<= 1) {
            if (rest < 0) {
                sum ^= shifted;
            }
            shifted = (shifted >>> 1) ^ ((shifted & 1) == 0 ? 0 : POLYNOMIAL);
        }
        return sum;
    }
}
