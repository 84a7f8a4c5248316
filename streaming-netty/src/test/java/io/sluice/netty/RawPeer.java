package io.sluice.netty;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.ring.Node;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;

/** One connection of a peer that says what a test wants said, whether or not that makes sense. For one thread. */
final class RawPeer implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 30_000;

    private final Socket socket;
    private final DataInputStream in;

    RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        this.in = new DataInputStream(socket.getInputStream());
    }

    /** Connects to {@code node} and says hello; who takes part in {@code plan} as {@code sender}. */
    static RawPeer open(Node node, UUID sender, Message.Role role, UUID plan, int session, int connection)
            throws IOException {
        RawPeer peer = new RawPeer(
                new Socket(InetAddress.getLoopbackAddress(), node.address().port()));
        peer.send(new Message.Hello(
                Message.Cluster.named(StreamOptions.builder().build().cluster().name()),
                sender,
                node.id(),
                role,
                plan,
                new Message.SessionNumber(session, 0),
                connection));
        return peer;
    }

    /** The same, and waits until it is welcome: before, it may say nothing. */
    static RawPeer welcome(Node node, UUID sender, Message.Role role, UUID plan, int session, int connection)
            throws IOException {
        RawPeer peer = open(node, sender, role, plan, session, connection);
        peer.expect(Message.Welcome.class);
        return peer;
    }

    void send(Message message) throws IOException {
        ByteBuffer frame = MessageCodec.encode(message);
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        send(bytes);
    }

    /** Sends bytes that need be no message. */
    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** The next message; empty when the other end has closed the connection. */
    Optional<Message> read() throws IOException {
        byte[] header = new byte[MessageCodec.HEADER_LENGTH_BYTES];
        try {
            in.readFully(header);
            int length = MessageCodec.frameLength(ByteBuffer.wrap(header));
            byte[] frame = ByteBuffer.allocate(length).put(header).array();
            in.readFully(frame, header.length, length - header.length);
            return Optional.of(MessageCodec.decode(ByteBuffer.wrap(frame)));
        } catch (EOFException | SocketException closed) {
            return Optional.empty();
        }
    }

    /** The next message of a kind, all others but for the end of the session skipped. */
    <M extends Message> M expect(Class<M> kind) throws IOException {
        while (true) {
            Message message = read().orElseThrow(() -> new AssertionError("closed before " + kind.getSimpleName()));
            if (kind.isInstance(message)) {
                return kind.cast(message);
            }
            if (message instanceof Message.SessionFailed failed) {
                throw new AssertionError("instead of " + kind.getSimpleName() + ": " + failed);
            }
        }
    }

    /** Reads until the other end closes the connection; why, if it says so. */
    Optional<Message.SessionFailed> end() throws IOException {
        Optional<Message.SessionFailed> why = Optional.empty();
        for (Optional<Message> next = read(); next.isPresent(); next = read()) {
            if (next.get() instanceof Message.SessionFailed failed) {
                why = Optional.of(failed);
            }
        }
        return why;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
