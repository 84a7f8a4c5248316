package io.sluice.cassandra.net;

import io.sluice.cassandra.wire.ConnectionLostException;
import io.sluice.cassandra.wire.Handshake;
import io.sluice.cassandra.wire.MessageReader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.WireInput;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.memory.PeerMemory;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A connection that a node opened. It carries files: the reading thread moves them from the socket through one buffer
 * to the disk, because nothing else is as fast (decision 4).
 */
public final class IncomingLink implements Link {
    private static final Logger LOG = LoggerFactory.getLogger(IncomingLink.class);
    private static final int FEW_BYTES = 1 << 16;

    private final TimedChannel socket;
    private final ByteChannel stream;
    private final PeerLog log;
    private final int bufferBytes;
    private final Runnable onMessage;
    private final WireInput input = new WireInput(new Input());
    private final MessageReader messages;
    private ByteBuffer buffer = ByteBuffer.allocateDirect(FEW_BYTES).limit(0);
    /** A message that is read once more. */
    private @Nullable StreamMessage unread;

    private volatile boolean isClosed;
    private boolean hasMessage;

    /**
     * An accepted connection.
     *
     * @param socket whose handshake has a time limit already
     * @param stream plaintext of {@code socket}; the socket itself, unless it is encrypted
     * @param log for log lines that a peer can trigger at will
     * @param memory that its messages use
     * @param bufferBytes for the bytes of files
     */
    public record Accepted(TimedChannel socket, ByteChannel stream, PeerLog log, PeerMemory memory, int bufferBytes) {}

    /**
     * Shakes hands, as the accepting side, and lets {@code onLink} use the connection.
     *
     * @param timeout for reads and writes after the handshake
     * @param onMessage called once the first message is complete
     * @throws StreamException if the peer is refused
     * @throws IOException if the connection is lost before the handshake is complete
     */
    public static void serve(Accepted connection, Duration timeout, Runnable onMessage, Consumer<IncomingLink> onLink)
            throws IOException {
        IncomingLink link = new IncomingLink(connection, onMessage);
        int version = Handshake.Initiate.read(link.input()).agreedVersion();
        link.send(new Handshake.Accept(Handshake.HIGHEST_VERSION, version).encode());
        connection.socket().setReadTimeout(timeout);
        connection.socket().setWriteTimeout(timeout);
        try {
            onLink.accept(link);
        } finally {
            link.release();
        }
    }

    private IncomingLink(Accepted connection, Runnable onMessage) {
        this.messages = new MessageReader(input, Optional.of(connection.memory()));
        this.log = connection.log();
        this.socket = connection.socket();
        this.stream = connection.stream();
        this.bufferBytes = connection.bufferBytes();
        this.onMessage = onMessage;
    }

    @Override
    public InetSocketAddress remote() {
        return socket.peer();
    }

    /** Logs a warning about something the peer caused, a few times a minute at most. */
    public void warn(Logger logger, Throwable cause) {
        log.write(
                logger,
                Level.WARN,
                remote().getAddress().getHostAddress(),
                "connection of {}: {}",
                remote(),
                String.valueOf(cause.getMessage()),
                cause);
    }

    /** Releases the memory of its messages, which nobody uses any more. */
    void release() {
        messages.release();
    }

    /** Input for the bytes that follow a file's header. */
    public WireInput input() {
        return input;
    }

    @Override
    public void setReadTimeout(Duration limit) {
        socket.setReadTimeout(limit);
    }

    @Override
    public StreamMessage read() throws IOException {
        StreamMessage again = unread;
        unread = null;
        if (again != null) {
            return again;
        }
        StreamMessage next = messages.next().orElseThrow(() -> new ConnectionLostException(reason()));
        if (!hasMessage) {
            hasMessage = true;
            onMessage.run();
        }
        return next;
    }

    /** Bounds all reads from now on together, beside the timeout of each, until the timeout is set again. */
    public void setReadDeadline(Duration limit) {
        socket.setReadDeadline(limit);
    }

    /** Lets {@link #read} return {@code message} again, which it returned last. */
    public void unread(StreamMessage message) {
        unread = message;
    }

    /**
     * Appends received bytes to {@code file}, at least one and at most {@code length}, and updates {@code sum}.
     *
     * @return the number of bytes
     * @throws ConnectionLostException if the connection ended or failed
     * @throws IOException if {@code file} cannot be written
     */
    public int transferTo(FileChannel file, long length, Checksum sum) throws IOException {
        if (buffer.capacity() < bufferBytes) {
            buffer = ByteBuffer.allocateDirect(bufferBytes).put(buffer).flip();
        }
        if (!isFilled()) {
            throw new ConnectionLostException(reason() + ", " + length + " bytes of a file outstanding");
        }
        int count = (int) Math.min(length, buffer.remaining());
        ByteBuffer piece = buffer.slice(buffer.position(), count);
        sum.update(piece.duplicate());
        while (piece.hasRemaining()) {
            file.write(piece);
        }
        buffer.position(buffer.position() + count);
        input.passed(count);
        return count;
    }

    /** Whether the buffer has a byte. Reads if it is empty; returns false at the end of the connection. */
    private boolean isFilled() throws IOException {
        if (buffer.hasRemaining()) {
            return true;
        }
        buffer.clear();
        try {
            return stream.read(buffer) > 0;
        } catch (EOFException ended) {
            return false; // TLS reports the end this way
        } catch (IOException failed) {
            throw ConnectionLostException.of(failed);
        } finally {
            buffer.flip();
        }
    }

    private String reason() {
        return isClosed ? "closed by us" : "closed by " + remote();
    }

    @Override
    public void send(Bytes bytes) throws IOException {
        try {
            stream.write(bytes.asBuffer());
        } catch (IOException failed) {
            throw ConnectionLostException.of(failed);
        }
    }

    /**
     * Ends blocked reads and writes. The thread that serves the connection, which may still read, releases the TLS
     * engine.
     */
    @Override
    public void close() {
        isClosed = true;
        try {
            socket.close();
        } catch (IOException e) {
            warn(LOG, e);
        }
    }

    /** Input for the fields of messages, which are few and short. */
    private final class Input extends InputStream {
        @Override
        public int read() throws IOException {
            return isFilled() ? buffer.get() & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!isFilled()) {
                return -1;
            }
            int count = Math.min(length, buffer.remaining());
            buffer.get(into, offset, count);
            return count;
        }
    }
}
