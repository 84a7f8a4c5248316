package io.sluice.sstable.component;

/**
 * The CRC-32 of two runs of bytes one after the other, from the CRC-32 of each: no byte is read. Stateless.
 *
 * <p>Appending a zero byte to a message is a linear map of its CRC over GF(2). Appending 2^k of them is that map
 * applied 2^k times, got by squaring; so a length costs as many steps as it has bits. The CRC of the whole is the first
 * CRC sent through the map of the second length, xor the second CRC.
 */
public final class Crc32Combination {
    private static final int POLYNOMIAL = 0xedb88320; // reflected

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
        int crc = (int) first;
        int[] zeros = oneZeroByte();
        for (long rest = secondLengthBytes; rest != 0; rest >>>= 1) {
            if ((rest & 1) != 0) {
                crc = apply(zeros, crc);
            }
            zeros = square(zeros);
        }
        return (crc ^ (int) second) & 0xffffffffL;
    }

    /** Column i is the image of bit i. */
    private static int[] oneZeroByte() {
        var oneBit = new int[Integer.SIZE];
        oneBit[0] = POLYNOMIAL;
        for (int i = 1; i < oneBit.length; i++) {
            oneBit[i] = 1 << (i - 1);
        }
        return square(square(square(oneBit)));
    }

    private static int[] square(int[] map) {
        var squared = new int[map.length];
        for (int i = 0; i < map.length; i++) {
            squared[i] = apply(map, map[i]);
        }
        return squared;
    }

    private static int apply(int[] map, int vector) {
        int image = 0;
        for (int rest = vector; rest != 0; rest &= rest - 1) {
            image ^= map[Integer.numberOfTrailingZeros(rest)];
        }
        return image;
    }
}
