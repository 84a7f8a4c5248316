package io.sluice.sstable.encoding;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A byte array that grows at its end as numbers and bytes are appended. Not thread-safe: confined to its owner. */
public final class GrowingBuffer {
    private ByteBuffer buffer;

    public GrowingBuffer() {
        this.buffer = ByteBuffer.allocate(512);
    }

    /** Bytes appended so far. */
    public int length() {
        return buffer.position();
    }

    /** Forgets all bytes and keeps the memory. */
    public void clear() {
        buffer.clear();
    }

    public GrowingBuffer putByte(int value) {
        room(1).put((byte) value);
        return this;
    }

    public GrowingBuffer putShort(int value) {
        room(Short.BYTES).putShort((short) value);
        return this;
    }

    public GrowingBuffer putInt(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    public GrowingBuffer putLong(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    public GrowingBuffer putUnsignedVInt(long value) {
        VInts.writeUnsigned(value, room(VInts.MAX_LENGTH_BYTES));
        return this;
    }

    public GrowingBuffer putSignedVInt(long value) {
        VInts.writeSigned(value, room(VInts.MAX_LENGTH_BYTES));
        return this;
    }

    public GrowingBuffer put(Bytes bytes) {
        bytes.writeTo(room(bytes.length()));
        return this;
    }

    /** Appends all that {@code other} holds. */
    public GrowingBuffer put(GrowingBuffer other) {
        room(other.length()).put(other.buffer.array(), 0, other.length());
        return this;
    }

    /** {@code u16} length, then the bytes. */
    public GrowingBuffer putShortBytes(Bytes bytes) {
        if (bytes.length() > 0xffff) {
            throw new IllegalArgumentException("length: " + bytes.length() + " (expected: at most 65535)");
        }
        return putShort(bytes.length()).put(bytes);
    }

    /** {@code uvint} length, then the bytes. */
    public GrowingBuffer putVIntBytes(Bytes bytes) {
        return putUnsignedVInt(bytes.length()).put(bytes);
    }

    /** {@code u16} byte length, then modified UTF-8. */
    public GrowingBuffer putUtf(String text) {
        var encoded = new ByteArrayOutputStream();
        try {
            new DataOutputStream(encoded).writeUTF(text);
        } catch (IOException tooLong) {
            throw new IllegalArgumentException("text of " + text.length() + " characters (expected: fewer)", tooLong);
        }
        return put(Bytes.wrap(encoded.toByteArray()));
    }

    /** What was appended, ready to be read; valid until the next append. */
    public ByteBuffer written() {
        return buffer.duplicate().flip();
    }

    /** A copy of what was appended. */
    public Bytes toBytes() {
        return Bytes.wrap(Arrays.copyOf(buffer.array(), length()));
    }

    private ByteBuffer room(int bytes) {
        if (buffer.remaining() < bytes) {
            int needed = Math.addExact(buffer.position(), bytes);
            int grown = (int) Math.min(Integer.MAX_VALUE - 16L, Math.max(needed, 2L * buffer.capacity()));
            buffer = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), grown)).position(buffer.position());
        }
        return buffer;
    }
}
