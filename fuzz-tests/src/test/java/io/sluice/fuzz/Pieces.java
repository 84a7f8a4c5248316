package io.sluice.fuzz;

import java.nio.ByteBuffer;

/** An input for parsers that take several runs of bytes: each but the last has its length in front, as u16. */
public final class Pieces {
    private final ByteBuffer in;

    public Pieces(byte[] input) {
        this.in = ByteBuffer.wrap(input);
    }

    /** One byte, 0 to 255; 0 after the end. */
    public int number() {
        return in.hasRemaining() ? in.get() & 0xff : 0;
    }

    /** The next run; what is left if its length says more. */
    public byte[] next() {
        int length = in.remaining() < Short.BYTES ? 0 : in.getShort() & 0xffff;
        return take(Math.min(length, in.remaining()));
    }

    /** All that is left. */
    public byte[] rest() {
        return take(in.remaining());
    }

    private byte[] take(int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }
}
