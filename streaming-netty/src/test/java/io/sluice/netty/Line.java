package io.sluice.netty;

import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.ring.Address;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;

/** One connection of a peer that tests script: blocking, with nothing checked and nothing added. Not thread-safe. */
final class Line implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;
    private static final int WINDOW_BYTES = 64 << 10;

    private final Socket socket;
    private final WritableByteChannel out;

    Line(Socket socket) throws IOException {
        this.socket = socket;
        this.out = Channels.newChannel(socket.getOutputStream());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    /** With a small window, so that one who does not read is noticed soon. */
    static Line to(Address address) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(WINDOW_BYTES);
        socket.connect(new java.net.InetSocketAddress(address.host(), address.port()), PATIENCE_MILLIS);
        return new Line(socket);
    }

    void send(Message message) throws IOException {
        out.write(MessageCodec.encode(message));
    }

    /** Sends it, unless the other end has had enough. */
    boolean trySend(Message message) {
        try {
            send(message);
            return true;
        } catch (IOException closed) {
            return false;
        }
    }

    /** Several messages in one segment. */
    void sendTogether(Message... messages) throws IOException {
        ByteBuffer together = ByteBuffer.allocate(1 << 20);
        for (Message message : messages) {
            together.put(MessageCodec.encode(message));
        }
        out.write(together.flip());
    }

    void send(byte[] bytes) throws IOException {
        out.write(ByteBuffer.wrap(bytes));
    }

    /** The next message, whatever it is. */
    Message read() throws IOException {
        ByteBuffer header = ByteBuffer.wrap(read(MessageCodec.HEADER_LENGTH_BYTES));
        int length = MessageCodec.frameLength(header);
        ByteBuffer frame = ByteBuffer.allocate(length).put(header);
        frame.put(read(length - MessageCodec.HEADER_LENGTH_BYTES));
        return MessageCodec.decode(frame.flip());
    }

    /**
     * The next message of a kind; others before it are skipped.
     *
     * @throws EOFException also if the other end fails the session first
     */
    <M extends Message> M read(Class<M> kind) throws IOException {
        while (true) {
            Message message = read();
            if (kind.isInstance(message)) {
                return kind.cast(message);
            }
            if (message instanceof Message.SessionFailed failed) {
                throw new EOFException(failed.code() + ": " + failed.reason());
            }
        }
    }

    /** The next message, or none within a time. */
    Optional<Message> poll(int millis) throws IOException {
        socket.setSoTimeout(millis);
        int first;
        try {
            first = socket.getInputStream().read();
        } catch (SocketTimeoutException nothing) {
            return Optional.empty();
        } finally {
            socket.setSoTimeout(PATIENCE_MILLIS);
        }
        if (first < 0) {
            throw new EOFException("the other end has closed");
        }
        ByteBuffer header =
                ByteBuffer.allocate(MessageCodec.HEADER_LENGTH_BYTES).put((byte) first);
        header.put(read(MessageCodec.HEADER_LENGTH_BYTES - 1)).flip();
        int length = MessageCodec.frameLength(header);
        ByteBuffer frame = ByteBuffer.allocate(length).put(header);
        frame.put(read(length - MessageCodec.HEADER_LENGTH_BYTES));
        return Optional.of(MessageCodec.decode(frame.flip()));
    }

    byte[] read(int length) throws IOException {
        byte[] bytes = socket.getInputStream().readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the other end has closed");
        }
        return bytes;
    }

    /** Reads until the other end closes; how it said that it does. */
    String awaitEnd() throws IOException {
        String last = "";
        try {
            while (true) {
                if (read() instanceof Message.SessionFailed failed) {
                    last = failed.code() + ": " + failed.reason();
                }
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("it is still open after " + PATIENCE_MILLIS + " ms", e);
        } catch (IOException | StreamException e) {
            return last;
        }
    }

    /** Reads until the other end closes, or says something else than that it lives; a while at most. */
    void awaitEndOrAnswer() throws IOException {
        long deadline = System.nanoTime() + 300_000_000L;
        try {
            while (System.nanoTime() < deadline
                    && poll(100)
                            .filter(message -> !(message instanceof Message.KeepAlive))
                            .isEmpty()) {
                // it may be at work
            }
        } catch (EOFException | StreamException | java.net.SocketException closed) {
            // it has closed
        }
    }

    /** Stays, and neither says nor reads anything. */
    void sleep(int millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new java.io.InterruptedIOException();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
