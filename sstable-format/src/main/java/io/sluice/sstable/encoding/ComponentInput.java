package io.sluice.sstable.encoding;

import io.sluice.sstable.component.SSTableException;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Reads the fields of a component file from any position, through a window of fixed length. For any content a read
 * returns a value or throws an {@link SSTableException} that names file and offset, and allocates no more than the
 * length of the file. Not thread-safe: confined to its reader, which closes it.
 */
public final class ComponentInput implements Closeable {
    /** The longest run of bytes read as one value. */
    static final int MAX_FIELD_BYTES = 1 << 26;

    private static final int WINDOW_BYTES = 1 << 16;

    private final Path file;
    private final long end;
    private final ByteSource source;
    private final Closeable resource;
    private final ByteBuffer window;
    private long windowEnd;
    /** All bytes up to the end, if they are in memory; otherwise empty. */
    private Bytes inMemory = Bytes.EMPTY;

    private ComponentInput(Path file, long end, ByteSource source, Closeable resource, ByteBuffer window) {
        this.file = file;
        this.end = end;
        this.source = source;
        this.resource = resource;
        this.window = window;
    }

    /** Reads {@code file} from its start. */
    public static ComponentInput open(Path file) throws IOException {
        return open(file, WINDOW_BYTES);
    }

    /** Reads {@code file} from its start; a short window suits random access. */
    public static ComponentInput open(Path file, int windowBytes) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        ByteSource source = (position, into) -> readFully(file, channel, position, into);
        long length = channel.size();
        return new ComponentInput(file, length, source, channel, emptyWindow((int) Math.min(length, windowBytes)));
    }

    /**
     * Reads all of a small {@code file}, and closes it.
     *
     * @throws SSTableException if it is longer than 64 MiB
     */
    public static ComponentInput readAll(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long length = channel.size();
            if (length > MAX_FIELD_BYTES) {
                throw SSTableException.at(file, 0, "length: " + length + " (expected: up to " + MAX_FIELD_BYTES + ")");
            }
            var content = new byte[(int) length];
            readFully(file, channel, 0, ByteBuffer.wrap(content));
            return of(file, 0, Bytes.wrap(content));
        }
    }

    /** Reads a source of {@code lengthBytes} bytes, named {@code file} in messages; does not close it. */
    public static ComponentInput over(Path file, ByteSource source, long lengthBytes, int windowBytes) {
        return new ComponentInput(file, lengthBytes, source, () -> {}, emptyWindow(windowBytes));
    }

    /** Reads a run of bytes that begins at {@code offset} of {@code file}; what it returns are views of them. */
    public static ComponentInput of(Path file, long offset, Bytes bytes) {
        ByteSource nothingMore = (position, into) -> {
            throw new AssertionError("read past the window at " + position);
        };
        var input = new ComponentInput(file, offset + bytes.length(), nothingMore, () -> {}, bytes.asBuffer());
        input.windowEnd = input.end;
        input.inMemory = bytes;
        return input;
    }

    private static ByteBuffer emptyWindow(int bytes) {
        return ByteBuffer.allocate(bytes).limit(0);
    }

    /** Fills {@code into} from {@code position} of an open file. */
    public static void readFully(Path file, FileChannel channel, long position, ByteBuffer into) throws IOException {
        long at = position;
        while (into.hasRemaining()) {
            int count = channel.read(into, at);
            if (count < 0) {
                throw SSTableException.at(file, at, "end of file (expected: " + into.remaining() + " more bytes)");
            }
            at += count;
        }
    }

    /** The file, for messages. */
    public Path file() {
        return file;
    }

    /** The offset in the file of the next read. */
    public long position() {
        return windowEnd - window.remaining();
    }

    /** Length of the file in bytes. */
    public long length() {
        return end;
    }

    /** Bytes from the position to the end. */
    public long remaining() {
        return end - position();
    }

    public boolean isAtEnd() {
        return remaining() == 0;
    }

    /** Sets the position, 0 to the length. */
    public void seek(long position) throws SSTableException {
        if (position < 0 || position > end) {
            throw malformed("reference to offset " + position + " (expected: 0 to " + end + ")");
        }
        long windowStart = windowEnd - window.limit();
        if (position >= windowStart && position <= windowEnd) {
            window.position((int) (position - windowStart));
        } else {
            window.limit(0);
            windowEnd = position;
        }
    }

    /** Skips {@code bytes}. */
    public void skip(long bytes) throws SSTableException {
        require("length", bytes, 0, remaining());
        seek(position() + bytes);
    }

    public byte readByte() throws IOException {
        return need(1).get();
    }

    public int readUnsignedByte() throws IOException {
        return readByte() & 0xff;
    }

    /** One byte, 0 or 1. */
    public boolean readBoolean() throws IOException {
        return require("boolean", readUnsignedByte(), 0, 1) == 1;
    }

    public int readUnsignedShort() throws IOException {
        return need(Short.BYTES).getShort() & 0xffff;
    }

    public int readInt() throws IOException {
        return need(Integer.BYTES).getInt();
    }

    public long readLong() throws IOException {
        return need(Long.BYTES).getLong();
    }

    public double readDouble() throws IOException {
        return Double.longBitsToDouble(readLong());
    }

    public UUID readUuid() throws IOException {
        return new UUID(readLong(), readLong());
    }

    public long readUnsignedVInt() throws IOException {
        byte first = need(1).get(window.position());
        need(first >= 0 ? 1 : 1 + Integer.numberOfLeadingZeros(~(first << 24)));
        return VInts.readUnsigned(window);
    }

    public long readSignedVInt() throws IOException {
        long zigzag = readUnsignedVInt();
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    /** A count of items of at least {@code bytesEach} bytes, limited by the rest of the file, as uvint32. */
    public int readVIntCount(String what, int bytesEach) throws IOException {
        return checkCount(what, readUnsignedVInt(), bytesEach);
    }

    /** A count of items of at least {@code bytesEach} bytes, limited by the rest of the file, as i32. */
    public int readIntCount(String what, int bytesEach) throws IOException {
        return checkCount(what, readInt(), bytesEach);
    }

    /** {@code length} bytes, at most {@link #MAX_FIELD_BYTES}. */
    public Bytes readBytes(long length) throws IOException {
        require("length", length, 0, Math.min(remaining(), MAX_FIELD_BYTES));
        if (length == 0) {
            return Bytes.EMPTY;
        }
        if (inMemory.isEmpty()) {
            return Bytes.wrap(readArray((int) length));
        }
        Bytes view = inMemory.slice(window.position(), (int) length);
        window.position(window.position() + (int) length);
        return view;
    }

    /** Fills {@code into} with numbers of this order. */
    public void readLongs(long[] into, ByteOrder order) throws IOException {
        for (int at = 0; at < into.length; ) {
            ByteBuffer in = need(Long.BYTES);
            int count = Math.min(into.length - at, in.remaining() / Long.BYTES);
            in.slice().order(order).asLongBuffer().get(into, at, count);
            in.position(in.position() + count * Long.BYTES);
            at += count;
        }
    }

    private byte[] readArray(int length) throws IOException {
        var array = new byte[length];
        int fromWindow = Math.min(array.length, window.remaining());
        window.get(array, 0, fromWindow);
        int rest = array.length - fromWindow;
        if (rest >= window.capacity()) {
            source.read(windowEnd, ByteBuffer.wrap(array, fromWindow, rest));
            window.limit(0);
            windowEnd += rest;
        } else if (rest > 0) {
            need(rest).get(array, fromWindow, rest);
        }
        return array;
    }

    /** {@code u16} length, then the bytes. */
    public Bytes readShortBytes() throws IOException {
        return readBytes(readUnsignedShort());
    }

    /** {@code i32} length, then the bytes. */
    public Bytes readIntBytes() throws IOException {
        return readBytes(readInt());
    }

    /** {@code uvint} length, then the bytes. */
    public Bytes readVIntBytes() throws IOException {
        return readBytes(readUnsignedVInt());
    }

    /** {@code u16} byte length, then modified UTF-8. */
    public String readUtf() throws IOException {
        long start = position();
        int length = readUnsignedShort();
        seek(start);
        byte[] encoded = readBytes(Short.BYTES + (long) length).toArray();
        try {
            return new DataInputStream(new ByteArrayInputStream(encoded)).readUTF();
        } catch (IOException notUtf) {
            throw SSTableException.at(file, start, "malformed string (expected: modified UTF-8)", notUtf);
        }
    }

    /** Returns {@code number} if it is in the range, both ends included. */
    public long require(String what, long number, long least, long greatest) throws SSTableException {
        if (number < least || number > greatest) {
            throw malformed(what + ": " + number + " (expected: " + least + " to " + greatest + ")");
        }
        return number;
    }

    /** Creates the error for invalid bytes at the position, to be thrown. */
    public SSTableException malformed(String problem) {
        return SSTableException.at(file, position(), problem);
    }

    @Override
    public void close() throws IOException {
        resource.close();
    }

    private int checkCount(String what, long count, int bytesEach) throws SSTableException {
        return (int) require(what, count, 0, Math.min(Integer.MAX_VALUE, remaining() / bytesEach));
    }

    private ByteBuffer need(int bytes) throws IOException {
        if (window.remaining() < bytes) {
            if (remaining() < bytes) {
                throw malformed("end of file (expected: " + bytes + " more bytes, not " + remaining() + ")");
            }
            window.compact();
            window.limit((int) Math.min(window.capacity(), window.position() + (end - windowEnd)));
            int added = window.remaining();
            source.read(windowEnd, window);
            windowEnd += added;
            window.flip();
        }
        return window;
    }
}
