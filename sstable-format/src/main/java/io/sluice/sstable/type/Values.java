package io.sluice.sstable.type;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.VInts;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.OptionalInt;

/** Reads and writes single values by the rule of their type: of fixed length, or after their length. Stateless. */
public final class Values {
    private Values() {}

    /**
     * Reads a non-empty value.
     *
     * @throws BufferUnderflowException if the buffer ends inside the value
     */
    public static Bytes read(CqlType type, ByteBuffer in) {
        OptionalInt fixed = type.fixedLength();
        return take(in, fixed.isPresent() ? fixed.getAsInt() : VInts.readUnsigned(in));
    }

    /** Appends a non-empty value. */
    public static void write(CqlType type, Bytes value, GrowingBuffer out) {
        OptionalInt fixed = type.fixedLength();
        if (fixed.isEmpty()) {
            out.putUnsignedVInt(value.length());
        } else if (fixed.getAsInt() != value.length()) {
            throw new IllegalArgumentException("length of a value of " + type.className() + ": " + value.length()
                    + " (expected: " + fixed.getAsInt() + ")");
        }
        out.put(value);
    }

    /**
     * Reads {@code length} bytes of {@code in}; copies them only if it has no array.
     *
     * @throws BufferUnderflowException if it has fewer bytes
     */
    public static Bytes take(ByteBuffer in, long length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        if (in.hasArray()) {
            Bytes taken = Bytes.wrap(in.array(), in.arrayOffset() + in.position(), (int) length);
            in.position(in.position() + (int) length);
            return taken;
        }
        byte[] copy = new byte[(int) length];
        in.get(copy);
        return Bytes.wrap(copy);
    }
}
