package io.sluice.sstable.encoding;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.Checksum;

/**
 * A run of bytes: a key, a value, a name. Equal by content, and ordered as unsigned bytes; a prefix sorts first.
 * Immutable, provided that no one writes to an array passed to {@link #wrap}.
 */
public final class Bytes implements Comparable<Bytes> {
    public static final Bytes EMPTY = new Bytes(new byte[0], 0, 0);

    /** More bytes would hide the rest of a message. */
    private static final int MAX_SHOWN_BYTES = 64;

    private final byte[] array;
    private final int offset;
    private final int length;

    private Bytes(byte[] array, int offset, int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
    }

    /** A view of {@code array}, which the caller must not modify any more. */
    public static Bytes wrap(byte[] array) {
        return wrap(array, 0, array.length);
    }

    /** A view of a part of {@code array}, which the caller must not modify any more. */
    public static Bytes wrap(byte[] array, int offset, int length) {
        if ((offset | length) < 0 || offset > array.length - length) {
            throw new IndexOutOfBoundsException(
                    "bytes " + offset + " + " + length + " (expected: within " + array.length + ")");
        }
        return length == 0 ? EMPTY : new Bytes(array, offset, length);
    }

    public static Bytes utf8(String text) {
        return wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Parses hexadecimal digits, two for each byte. */
    public static Bytes hex(String hex) {
        return wrap(HexFormat.of().parseHex(hex));
    }

    /** Eight bytes, big-endian. */
    public static Bytes ofLong(long number) {
        return wrap(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
    }

    /** Four bytes, big-endian. */
    public static Bytes ofInt(int number) {
        return wrap(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
    }

    public int length() {
        return length;
    }

    public boolean isEmpty() {
        return length == 0;
    }

    public byte at(int index) {
        return array[offset + index];
    }

    /** {@code length} bytes from {@code from} on; a view, not a copy. */
    public Bytes slice(int from, int sliceLength) {
        if ((from | sliceLength) < 0 || from > length - sliceLength) {
            throw new IndexOutOfBoundsException(
                    "slice " + from + " + " + sliceLength + " (expected: within " + length + ")");
        }
        return wrap(array, offset + from, sliceLength);
    }

    /** A new read-only buffer over these bytes. */
    public ByteBuffer asBuffer() {
        return ByteBuffer.wrap(array, offset, length).slice().asReadOnlyBuffer();
    }

    /** A copy. */
    public byte[] toArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    /** Copies these bytes into {@code into} from index {@code at} on. */
    public void copyTo(byte[] into, int at) {
        System.arraycopy(array, offset, into, at, length);
    }

    /** Feeds these bytes to {@code sum}. */
    public void addTo(Checksum sum) {
        sum.update(array, offset, length); // avoids the copy that a read-only buffer would need
    }

    /** The bytes as UTF-8; malformed parts become the replacement character. */
    public String utf8() {
        return new String(array, offset, length, StandardCharsets.UTF_8);
    }

    public String hex() {
        return HexFormat.of().formatHex(array, offset, offset + length);
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(
                array, offset, offset + length, other.array, other.offset, other.offset + other.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that
                && Arrays.equals(array, offset, offset + length, that.array, that.offset, that.offset + that.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = offset; i < offset + length; i++) {
            hash = 31 * hash + array[i];
        }
        return hash;
    }

    /** Hex digits of the first 64 bytes, and the length if there are more; {@link #hex()} returns all. */
    @Override
    public String toString() {
        return length <= MAX_SHOWN_BYTES
                ? hex()
                : HexFormat.of().formatHex(array, offset, offset + MAX_SHOWN_BYTES) + "… of " + length + " bytes";
    }
}
