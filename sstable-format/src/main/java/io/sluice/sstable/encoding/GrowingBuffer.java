package io.sluice.sstable.encoding;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A byte array that grows at its end as numbers and bytes are appended. Not thread-safe: confined to its owner. */
public final class GrowingBuffer {
    private static final VarHandle BIG_ENDIAN_SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_ENDIAN_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int FIRST_CAPACITY_BYTES = 512;
    private static final int MAX_CAPACITY_BYTES = Integer.MAX_VALUE - 16;

    private byte[] array = new byte[FIRST_CAPACITY_BYTES];
    private int length;

    /** Bytes appended so far. */
    public int length() {
        return length;
    }

    /** Removes all bytes, and keeps the memory. */
    public void clear() {
        length = 0;
    }

    public GrowingBuffer putByte(int value) {
        makeRoom(1);
        array[length++] = (byte) value;
        return this;
    }

    public GrowingBuffer putShort(int value) {
        makeRoom(Short.BYTES);
        BIG_ENDIAN_SHORT.set(array, length, (short) value);
        length += Short.BYTES;
        return this;
    }

    public GrowingBuffer putInt(int value) {
        makeRoom(Integer.BYTES);
        BIG_ENDIAN_INT.set(array, length, value);
        length += Integer.BYTES;
        return this;
    }

    public GrowingBuffer putLong(long value) {
        makeRoom(Long.BYTES);
        BIG_ENDIAN_LONG.set(array, length, value);
        length += Long.BYTES;
        return this;
    }

    public GrowingBuffer putUnsignedVInt(long value) {
        makeRoom(VInts.MAX_LENGTH_BYTES);
        length = putUnsignedVInt(array, length, value);
        return this;
    }

    /** Puts a uvint into an array, of which eight bytes behind the first exist; returns the index behind it. */
    public static int putUnsignedVInt(byte[] into, int at, long value) {
        int bytes = VInts.lengthOfUnsigned(value);
        if (bytes == 1) {
            into[at] = (byte) value;
        } else if (bytes < VInts.MAX_LENGTH_BYTES) {
            long marker = (0xff00L >>> (bytes - 1)) & 0xff; // a one for each byte that follows
            long marked = value | marker << (8 * (bytes - 1));
            BIG_ENDIAN_LONG.set(into, at, marked << (8 * (Long.BYTES - bytes)));
        } else {
            into[at] = (byte) 0xff;
            BIG_ENDIAN_LONG.set(into, at + 1, value);
        }
        return at + bytes;
    }

    public GrowingBuffer putSignedVInt(long value) {
        return putUnsignedVInt((value << 1) ^ (value >> 63));
    }

    public GrowingBuffer put(Bytes bytes) {
        makeRoom(bytes.length());
        bytes.copyTo(array, length);
        length += bytes.length();
        return this;
    }

    /** Appends a part of {@code source}. */
    public GrowingBuffer put(byte[] source, int offset, int count) {
        makeRoom(count);
        System.arraycopy(source, offset, array, length, count);
        length += count;
        return this;
    }

    /** Copies a few bytes; up to seven more behind them, which exist in both arrays, are copied, too. */
    public static void copyFew(byte[] source, int offset, byte[] into, int at, int count) {
        for (int i = 0; i < count; i += Long.BYTES) {
            BIG_ENDIAN_LONG.set(into, at + i, (long) BIG_ENDIAN_LONG.get(source, offset + i));
        }
    }

    /** The array, with room for {@code bytes} more, for those who append many items in place. */
    public byte[] reserve(int bytes) {
        makeRoom(bytes);
        return array;
    }

    /** Sets the length after bytes were put into the array. */
    public void appendedTo(int newLength) {
        length = newLength;
    }

    /** Appends the content of {@code other}. */
    public GrowingBuffer put(GrowingBuffer other) {
        makeRoom(other.length);
        System.arraycopy(other.array, 0, array, length, other.length);
        length += other.length;
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

    /** A view of the content; valid until the next append. */
    public ByteBuffer written() {
        return ByteBuffer.wrap(array, 0, length);
    }

    /** A copy of the content. */
    public Bytes toBytes() {
        return Bytes.wrap(Arrays.copyOf(array, length));
    }

    private void makeRoom(int bytes) {
        if (array.length - length < bytes) {
            int needed = Math.addExact(length, bytes);
            array = Arrays.copyOf(array, (int) Math.min(MAX_CAPACITY_BYTES, Math.max(needed, 2L * array.length)));
        }
    }
}
