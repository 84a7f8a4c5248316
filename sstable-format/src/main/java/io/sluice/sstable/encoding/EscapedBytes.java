package io.sluice.sstable.encoding;

/**
 * Encodes bytes of any length so that the order is preserved, whatever follows: a run of zeros is 00, FE for each
 * further one, then FF; at the end FE instead of FF. 00 terminates bytes that do not end with a zero. Stateless.
 */
public final class EscapedBytes {
    private static final int ZERO = 0x00;
    private static final int ZERO_THEN_ZERO = 0xfe;
    private static final int ZERO_THEN_OTHER = 0xff;

    private EscapedBytes() {}

    /** Appends {@code bytes} in this form, with its end. */
    public static void write(Bytes bytes, GrowingBuffer out) {
        boolean isAfterZero = false;
        for (int i = 0; i < bytes.length(); i++) {
            int next = bytes.at(i) & 0xff;
            if (next == ZERO) {
                out.putByte(isAfterZero ? ZERO_THEN_ZERO : ZERO);
            } else {
                if (isAfterZero) {
                    out.putByte(ZERO_THEN_OTHER);
                }
                out.putByte(next);
            }
            isAfterZero = next == ZERO;
        }
        out.putByte(isAfterZero ? ZERO_THEN_ZERO : ZERO);
    }
}
