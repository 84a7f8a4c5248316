package io.sluice.sstable.encoding;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** Reads and writes the variable-length integers of the package's byte table. Stateless. */
public final class VInts {
    /** The longest form: a first byte of eight ones, then eight bytes. */
    public static final int MAX_LENGTH_BYTES = 9;

    private VInts() {}

    /**
     * Reads a uvint at the buffer's position and advances the position.
     *
     * @throws BufferUnderflowException if the buffer ends inside the number; the position is then unspecified
     */
    public static long readUnsigned(ByteBuffer in) {
        byte first = in.get();
        if (first >= 0) {
            return first;
        }
        int extra = Integer.numberOfLeadingZeros(~(first << 24)); // 8 for 0xff, as the shift brings zeros in
        long value = extra >= 7 ? 0 : first & (0xff >>> (extra + 1));
        if (in.remaining() < extra) {
            throw new BufferUnderflowException();
        }
        for (int i = 0; i < extra; i++) {
            value = value << 8 | (in.get() & 0xffL);
        }
        return value;
    }

    /** Reads an svint. */
    public static long readSigned(ByteBuffer in) {
        long zigzag = readUnsigned(in);
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    /** The length of {@code value} as uvint: 1 to 9 bytes. */
    public static int lengthOfUnsigned(long value) {
        int bits = 64 - Long.numberOfLeadingZeros(value | 1);
        return Math.min(MAX_LENGTH_BYTES, (bits + 6) / 7);
    }

    /** Writes {@code value} as uvint in its shortest form. */
    static void writeUnsigned(long value, ByteBuffer out) {
        int length = lengthOfUnsigned(value);
        int extra = length - 1;
        if (extra == 8) {
            out.put((byte) 0xff).putLong(value);
            return;
        }
        int marker = (0xff00 >>> extra) & 0xff;
        out.put((byte) (marker | (int) (value >>> (8 * extra))));
        for (int shift = 8 * (extra - 1); shift >= 0; shift -= 8) {
            out.put((byte) (value >>> shift));
        }
    }
}
