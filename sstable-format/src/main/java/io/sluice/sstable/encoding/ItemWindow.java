package io.sluice.sstable.encoding;

import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A window over a file that always contains one item, such as a row. Fields are read in place, without allocating
 * objects; the array grows with the longest item that is actually present, not with announced lengths. Every read
 * throws {@link SSTableException} if the file, or the body of the item, ends too early. Not thread-safe: confined to
 * its reader.
 */
public final class ItemWindow {
    private static final VarHandle BIG_ENDIAN_SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_ENDIAN_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** Windows end at multiples of this length, so that whole chunks are loaded in place. */
    private static final int ALIGNMENT_BYTES = 1 << 16;

    private static final int FIRST_CAPACITY_BYTES = 2 * ALIGNMENT_BYTES;
    private static final int MAX_ITEM_BYTES = 1 << 30;
    private static final int SLACK_BYTES = Long.BYTES; // a vint is read as the eight bytes after its first

    private final Path file;
    private final ByteSource source;
    private final long length;
    private byte[] bytes;
    private long start; // position in the source of the array's first byte
    private int item; // index of the first byte of the item
    private int at; // index of what is read next
    private int filled; // index after the last byte that was loaded
    private int end; // of the body, or what is filled
    private long wantedEnd; // position up to which all will be read
    private boolean isInBody;

    /** Reads a source of {@code lengthBytes} bytes, named {@code file} in messages; does not close it. */
    public ItemWindow(Path file, ByteSource source, long lengthBytes) {
        this.file = file;
        this.source = source;
        this.length = lengthBytes;
        this.bytes = new byte[(int) Math.min(FIRST_CAPACITY_BYTES, Math.max(1, lengthBytes)) + SLACK_BYTES];
    }

    /** The uncompressed position of the next read. */
    public long position() {
        return start + at;
    }

    /** Uncompressed position of the item. */
    public long itemPosition() {
        return start + item;
    }

    /** The index of the next read, relative to the item. */
    public int offset() {
        return at - item;
    }

    /** Goes to {@code position}, where an item begins, to read up to {@code sectionEnd}. */
    public void seek(long position, long sectionEnd) {
        wantedEnd = sectionEnd;
        if (position >= start && position <= start + filled) {
            at = (int) (position - start);
        } else {
            start = position;
            at = 0;
            filled = 0;
            end = 0;
        }
        beginItem();
    }

    /** Releases the previous item. */
    public void beginItem() {
        item = at;
    }

    /** One byte, 0 to 255. */
    public int readByte() throws IOException {
        need(1);
        return bytes[at++] & 0xff;
    }

    /** The next byte, without consuming it. */
    public int peekByte() throws IOException {
        need(1);
        return bytes[at] & 0xff;
    }

    public int readUnsignedShort() throws IOException {
        need(Short.BYTES);
        int value = (short) BIG_ENDIAN_SHORT.get(bytes, at) & 0xffff;
        at += Short.BYTES;
        return value;
    }

    public int readInt() throws IOException {
        need(Integer.BYTES);
        int value = (int) BIG_ENDIAN_INT.get(bytes, at);
        at += Integer.BYTES;
        return value;
    }

    public long readLong() throws IOException {
        need(Long.BYTES);
        long value = (long) BIG_ENDIAN_LONG.get(bytes, at);
        at += Long.BYTES;
        return value;
    }

    public long readUnsignedVInt() throws IOException {
        need(1);
        int length = vIntLength(bytes[at]);
        need(length);
        long number = unsignedVIntAt(bytes, at);
        at += length;
        return number;
    }

    /** The length of a vint that begins with this byte. */
    public static int vIntLength(byte first) {
        return first >= 0 ? 1 : 1 + Integer.numberOfLeadingZeros(~(first << 24)); // 9 for 0xff: the shift adds zeros
    }

    /** A vint in an array, of which eight bytes behind the first exist. */
    public static long unsignedVIntAt(byte[] bytes, int at) {
        byte first = bytes[at];
        if (first >= 0) {
            return first;
        }
        int extra = vIntLength(first) - 1;
        long word = (long) BIG_ENDIAN_LONG.get(bytes, at + 1);
        return extra == Long.BYTES
                ? word
                : ((long) (first & (0xff >>> (extra + 1))) << (8 * extra)) | (word >>> (8 * (Long.BYTES - extra)));
    }

    /** A {@code u16} in an array. */
    public static int unsignedShortAt(byte[] bytes, int at) {
        return (short) BIG_ENDIAN_SHORT.get(bytes, at) & 0xffff;
    }

    /** The array, for those who read several items in place; valid until the next read. */
    public byte[] array() {
        return bytes;
    }

    /** The index in {@link #array()} of the item. */
    public int itemIndex() {
        return item;
    }

    /** The index in {@link #array()} of the next read. */
    public int index() {
        return at;
    }

    /** The index in {@link #array()} behind the last byte of the file that it has; eight more bytes exist. */
    public int filled() {
        return filled;
    }

    /** Goes on at an index up to {@link #filled()}, where an item begins. */
    public void advanceTo(int index) {
        at = index;
        beginItem();
    }

    public long readSignedVInt() throws IOException {
        long zigzag = readUnsignedVInt();
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    /** Skips {@code length} bytes, which stay in memory as part of the item. */
    public void skip(long length) throws IOException {
        if (length < 0 || length > MAX_ITEM_BYTES) {
            throw malformed("length of a value: " + length + " (expected: 0 to " + MAX_ITEM_BYTES + ")");
        }
        need((int) length);
        at += (int) length;
    }

    /**
     * Loads the next {@code length} bytes, the rest of a row or marker.
     *
     * @param most maximum length
     */
    public void enterBody(long length, long most) throws IOException {
        require("length of a row", length, Math.min(most, MAX_ITEM_BYTES));
        need((int) length);
        end = at + (int) length;
        isInBody = true;
    }

    /** Bytes of the body that are left. */
    public int remainingInBody() {
        return end - at;
    }

    /** Ends the body, and skips its rest. */
    public void leaveBody() {
        if (isInBody) {
            at = end;
            end = filled;
            isInBody = false;
        }
    }

    /** A copy of a part of the item. */
    public Bytes copy(int from, int length) {
        return Bytes.wrap(Arrays.copyOfRange(bytes, item + from, item + from + length));
    }

    /** A copy of the item: the bytes read so far, and its whole body. */
    public byte[] copyItem() {
        return Arrays.copyOfRange(bytes, item, isInBody ? end : at);
    }

    /** Appends a part of the item to {@code out}. */
    public void copyTo(GrowingBuffer out, int from, int length) {
        out.put(bytes, item + from, length);
    }

    /** Copies a part of the item to the start of {@code into}, which has room for it. */
    public void copyTo(byte[] into, int from, int length) {
        System.arraycopy(bytes, item + from, into, 0, length);
    }

    /** Returns {@code number} if it is from 0 to {@code most}. */
    public long require(String what, long number, long most) throws SSTableException {
        if (number < 0 || number > most) {
            throw malformed(what + ": " + number + " (expected: 0 to " + most + ")");
        }
        return number;
    }

    /** Creates the error for invalid bytes at the position, to be thrown. */
    public SSTableException malformed(String problem) {
        return SSTableException.at(file, position(), problem);
    }

    private void need(int count) throws IOException {
        if (count > end - at) {
            load(count);
        }
    }

    private void load(int needed) throws IOException {
        if (isInBody) {
            throw malformed(
                    "item ends within its last field (expected: " + needed + " more bytes, not " + (end - at) + ")");
        }
        long left = length - position();
        if (needed > left) {
            throw malformed("end of file (expected: " + needed + " more bytes, not " + left + ")");
        }
        System.arraycopy(bytes, item, bytes, 0, filled - item);
        start += item;
        at -= item;
        filled -= item;
        item = 0;
        require("length of an item", (long) at + needed, MAX_ITEM_BYTES);
        while (filled - at < needed) {
            grow(at + needed);
            int count = bytesToLoad();
            source.read(start + filled, ByteBuffer.wrap(bytes, filled, count));
            filled += count;
        }
        end = filled;
    }

    /** Grows the array, at most to twice its length. */
    private void grow(int wanted) {
        int capacity = bytes.length - SLACK_BYTES;
        if (wanted > capacity) {
            bytes = Arrays.copyOf(bytes, Math.min(2 * capacity, MAX_ITEM_BYTES) + SLACK_BYTES);
        }
    }

    private int bytesToLoad() {
        long from = start + filled;
        long last = from < wantedEnd ? wantedEnd : length;
        long room = (long) bytes.length - SLACK_BYTES - filled;
        long aligned = (from + room) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
        return (int) (Math.min(last, aligned > from ? aligned : from + room) - from);
    }
}
