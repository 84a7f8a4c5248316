package io.sluice.sstable.data;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.VInts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads a stretch of a file from start to end through a window of {@value #WINDOW_BYTES} bytes. Not thread-safe:
 * confined to its reader.
 */
final class Cursor {
    private static final int WINDOW_BYTES = 1 << 16;
    private static final int FIRST_PIECE_BYTES = 1 << 20;

    private final Path file;
    private final ByteSource source;
    private final ByteBuffer window =
            ByteBuffer.allocate(WINDOW_BYTES).position(0).limit(0);
    private long windowEnd;
    private long end;

    Cursor(Path file, ByteSource source) {
        this.file = file;
        this.source = source;
    }

    /** Goes to {@code start}; nothing from {@code newEnd} on will be read. */
    void seek(long start, long newEnd) {
        window.position(0).limit(0);
        windowEnd = start;
        end = newEnd;
    }

    long position() {
        return windowEnd - window.remaining();
    }

    boolean isAtEnd() {
        return position() >= end;
    }

    byte readByte() throws IOException {
        need(1);
        return window.get();
    }

    int readUnsignedShort() throws IOException {
        need(Short.BYTES);
        return window.getShort() & 0xffff;
    }

    long readUnsignedVInt() throws IOException {
        byte first = peek();
        need(first >= 0 ? 1 : Math.min(VInts.MAX_LENGTH_BYTES, 1 + Integer.numberOfLeadingZeros(~first << 24)));
        return VInts.readUnsigned(window);
    }

    /** The byte that will be read next. */
    byte peek() throws IOException {
        need(1);
        return window.get(window.position());
    }

    /** The next {@code length} bytes, copied. Memory grows with what is there, not with what was announced. */
    Bytes readBytes(long length) throws IOException {
        return Bytes.wrap(readArray(length));
    }

    /** The same as a buffer with an array. */
    ByteBuffer readBuffer(long length) throws IOException {
        return ByteBuffer.wrap(readArray(length));
    }

    private byte[] readArray(long length) throws IOException {
        if (length < 0 || length > end - position() || length > Integer.MAX_VALUE - 16) {
            throw malformed("length " + Long.toUnsignedString(length) + " (expected: at most "
                    + Math.min(end - position(), Integer.MAX_VALUE - 16) + ")");
        }
        byte[] bytes = new byte[(int) Math.min(length, FIRST_PIECE_BYTES)];
        int filled = fill(bytes, 0);
        while (filled < length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * filled));
            filled = fill(bytes, filled);
        }
        return bytes;
    }

    private int fill(byte[] bytes, int from) throws IOException {
        int fromWindow = Math.min(window.remaining(), bytes.length - from);
        window.get(bytes, from, fromWindow);
        int rest = bytes.length - from - fromWindow;
        if (rest >= WINDOW_BYTES) {
            source.read(windowEnd, ByteBuffer.wrap(bytes, from + fromWindow, rest));
            windowEnd += rest;
        } else if (rest > 0) {
            need(rest);
            window.get(bytes, from + fromWindow, rest);
        }
        return bytes.length;
    }

    private void need(int bytes) throws IOException {
        if (window.remaining() >= bytes) {
            return;
        }
        if (bytes > end - position()) {
            throw malformed("ends here (expected: at least " + bytes + " bytes more)");
        }
        window.compact();
        window.limit((int) Math.min(window.capacity(), window.position() + end - windowEnd));
        int wanted = window.remaining();
        source.read(windowEnd, window);
        windowEnd += wanted;
        window.flip();
    }

    SSTableException malformed(String problem) {
        return SSTableException.at(file, position(), problem);
    }

    SSTableException malformed(long position, String problem, Throwable cause) {
        return new SSTableException(file + " at offset " + position + ": " + problem, cause);
    }
}
