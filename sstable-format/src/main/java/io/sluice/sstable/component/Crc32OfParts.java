package io.sluice.sstable.component;

/**
 * The CRC-32 of parts that follow each other, each of which is given by its own. Parts of the length of one of the two
 * before are the cheapest. Not thread-safe: confined to its owner.
 */
public final class Crc32OfParts {
    private int crc;
    private long lengthBytes;
    /** The two lengths before, which often come in turns, and their powers. */
    private long lastLengthBytes;

    private int lastPower = Crc32Combination.powerOf(0);
    private long otherLengthBytes;
    private int otherPower = lastPower;

    /**
     * Appends a part.
     *
     * @param crc32 of its bytes, the lowest 32 bits
     * @param length of it, not negative
     */
    public void append(int crc32, long length) {
        if (length == 0) {
            return;
        } else if (lengthBytes == 0) {
            crc = crc32;
        } else {
            crc = Crc32Combination.product(powerOf(length), crc) ^ crc32;
        }
        lengthBytes += length;
    }

    private int powerOf(long length) {
        if (length != lastLengthBytes) {
            long nextLength = otherLengthBytes;
            int nextPower = otherPower;
            otherLengthBytes = lastLengthBytes;
            otherPower = lastPower;
            lastLengthBytes = length;
            lastPower = length == nextLength ? nextPower : Crc32Combination.powerOf(length);
        }
        return lastPower;
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
