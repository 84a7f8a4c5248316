package io.sluice.bench;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;

/**
 * One end of a connection, written by hand with blocking calls: a minimal peer of the end that a benchmark measures.
 * Not thread-safe.
 */
final class PlainPeer implements Closeable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final SocketChannel socket;
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
    private final ByteBuffer header = ByteBuffer.allocate(MessageCodec.HEADER_LENGTH_BYTES);

    PlainPeer(SocketChannel socket) throws IOException {
        this.socket = socket;
        // Else a small message waits until the one before is acknowledged, which takes up to 40 ms.
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    void send(Message message) throws IOException {
        ByteBuffer frame = MessageCodec.encode(message);
        while (frame.hasRemaining()) {
            socket.write(frame);
        }
    }

    /** Receives the next message; skips heartbeats. */
    Message receive() throws IOException {
        while (true) {
            header.clear();
            read(header);
            ByteBuffer frame = ByteBuffer.allocate(MessageCodec.frameLength(header.flip()));
            frame.put(header);
            read(frame);
            Message message = MessageCodec.decode(frame.flip());
            if (message instanceof Message.SessionFailed failure) {
                throw new IOException("the measured end failed: " + failure.reason());
            }
            if (!(message instanceof Message.KeepAlive)) {
                return message;
            }
        }
    }

    /** Receives the next message, which must be of this type. */
    <T extends Message> T receive(Class<T> type) throws IOException {
        return type.cast(receive());
    }

    /** Moves the next {@code lengthBytes} raw bytes of the connection to a position of a file. */
    void receiveInto(FileChannel file, long position, long lengthBytes) throws IOException {
        long at = position;
        long end = position + lengthBytes;
        while (at < end) {
            if (!in.hasRemaining()) {
                fill();
            }
            int limit = in.limit();
            in.limit((int) Math.min(limit, in.position() + (end - at)));
            at += file.write(in, at);
            in.limit(limit);
        }
    }

    /** Sends a region of a file; on Linux by sendfile. */
    void sendFrom(FileChannel file, long position, long lengthBytes) throws IOException {
        long at = position;
        while (at < position + lengthBytes) {
            at += file.transferTo(at, position + lengthBytes - at, socket);
        }
    }

    private void read(ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (!in.hasRemaining()) {
                fill();
            }
            into.put(in.get());
        }
    }

    private void fill() throws IOException {
        in.clear();
        if (socket.read(in) < 0) {
            in.flip();
            throw new EOFException("the measured end closed the connection");
        }
        in.flip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
