package io.sluice.streaming.transfer.channel;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.zip.Checksum;

/**
 * Reads numbers, big-endian, and bytes from a blocking channel through a buffer. Reads ahead, so no other reader may
 * use the channel. Not thread-safe: confined to its reader; the channel belongs to the caller.
 */
public final class ChannelInput {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int FIRST_PIECE_BYTES = 64 << 10;

    private final ReadableByteChannel channel;
    private final ByteBuffer buffer;
    private long read;

    public ChannelInput(ReadableByteChannel channel) {
        this(channel, BUFFER_BYTES);
    }

    /** Creates an input with a buffer of another length, at least 8 bytes, for short streams. */
    public ChannelInput(ReadableByteChannel channel, int bufferBytes) {
        this.channel = channel;
        this.buffer = ByteBuffer.allocateDirect(bufferBytes).limit(0);
    }

    /** Consumed bytes, without those read ahead. */
    public long position() {
        return read - buffer.remaining();
    }

    /** Whether bytes were read ahead, so that the next read does not block. */
    public boolean hasBuffered() {
        return buffer.hasRemaining();
    }

    /** One byte, 0 to 255. */
    public int readUnsignedByte() throws IOException {
        return need(1).get() & 0xff;
    }

    public int readInt() throws IOException {
        return need(Integer.BYTES).getInt();
    }

    public long readLong() throws IOException {
        return need(Long.BYTES).getLong();
    }

    /** A number from {@code least} to {@code greatest}, sent as i32. */
    public int readInt(String what, int least, int greatest) throws IOException {
        int number = readInt();
        if (number < least || number > greatest) {
            throw refused(what + ": " + number + " (expected: " + least + " to " + greatest + ")");
        }
        return number;
    }

    /** Fills {@code length} bytes of {@code into}. */
    public void readFully(byte[] into, int offset, int length) throws IOException {
        int at = offset;
        int end = offset + length;
        while (at < end) {
            if (!buffer.hasRemaining()) {
                buffer.clear();
                fill();
            }
            int count = Math.min(end - at, buffer.remaining());
            buffer.get(into, at, count);
            at += count;
        }
    }

    /** The next {@code length} bytes; memory grows with the received bytes, not with {@code length}. */
    public byte[] readBytes(int length) throws IOException {
        byte[] bytes = new byte[Math.min(length, FIRST_PIECE_BYTES)];
        int filled = 0;
        while (true) {
            readFully(bytes, filled, bytes.length - filled);
            if (bytes.length == length) {
                return bytes;
            }
            filled = bytes.length;
            bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * filled));
        }
    }

    /** Appends the next {@code length} bytes to {@code file}, and adds them to {@code sum}. */
    public void transferTo(WritableByteChannel file, int length, Checksum sum) throws IOException {
        for (int left = length; left > 0; ) {
            if (!buffer.hasRemaining()) {
                buffer.clear();
                fill();
            }
            ByteBuffer part = buffer.slice(buffer.position(), Math.min(left, buffer.remaining()));
            left -= part.remaining();
            buffer.position(buffer.position() + part.remaining());
            sum.update(part.duplicate());
            while (part.hasRemaining()) {
                file.write(part);
            }
        }
    }

    /** Whether the stream ends here; waits for the next byte or the end. */
    public boolean isAtEnd() throws IOException {
        if (buffer.hasRemaining()) {
            return false;
        }
        buffer.clear();
        int count = channel.read(buffer);
        buffer.flip();
        read += Math.max(0, count);
        return count < 0;
    }

    /** Creates the exception for invalid bytes at this position, to be thrown. */
    public StreamException refused(String problem) {
        return new StreamException(ErrorCode.PROTOCOL, "byte " + position() + " of a stream: " + problem);
    }

    private ByteBuffer need(int bytes) throws IOException {
        while (buffer.remaining() < bytes) {
            buffer.compact();
            fill();
        }
        return buffer;
    }

    private void fill() throws IOException {
        int count = channel.read(buffer);
        buffer.flip();
        if (count < 0) {
            throw new StreamException(ErrorCode.PEER_LOST, "the stream ends after " + read + " bytes (expected: more)");
        }
        read += count;
    }
}
