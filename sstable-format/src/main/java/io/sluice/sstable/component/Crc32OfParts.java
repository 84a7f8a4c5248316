package io.sluice.sstable.component;

/**
 * The CRC-32 of parts that follow each other, each of which is given by its own. Parts of the length of the part before
 * are the cheapest. Not thread-safe: confined to its owner.
 */
public final class Crc32OfParts {
    private int crc;
    private long lengthBytes;
    private long lastLengthBytes;
    /** For parts of {@link #lastLengthBytes}. */
    private int power = Crc32Combination.powerOf(0);

    /**
     * Appends a part.
     *
     * @param crc32 of its bytes, the lowest 32 bits
     * @param length of it, not negative
     */
    public void append(int crc32, long length) {
        if (lengthBytes == 0) {
            crc = crc32;
        } else {
            if (length != lastLengthBytes) {
                power = Crc32Combination.powerOf(length);
                lastLengthBytes = length;
            }
            crc = Crc32Combination.product(power, crc) ^ crc32;
        }
        lengthBytes += length;
    }

    /** The CRC-32 of all parts, the lowest 32 bits. */
    public int value() {
        return crc;
    }

    /** The length of all parts. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** Removes all parts. */
    public void reset() {
        crc = 0;
        lengthBytes = 0;
    }
}
