package io.sluice.netty.security;

import io.netty.util.ReferenceCountUtil;
import io.sluice.sstable.encoding.PageAligned;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * A blocking encrypted channel over a blocking channel. It reads many records from the socket at once and decrypts them
 * into the caller's buffer, so that only the cipher copies each byte.
 *
 * <p>For one reading and one writing thread; any thread may call {@link #isOpen} and close the channel below.
 */
public final class TlsChannel implements ByteChannel {
    private static final int CIPHERTEXT_BYTES = 512 << 10;
    /** Room for the part of a record that is left of the last read, so that the next one begins at a page. */
    private static final int REST_BYTES = 5 * PageAligned.PAGE_BYTES;

    /** The maximum off-heap memory of a channel, without the caller's buffer. */
    public static final int DIRECT_BYTES = CIPHERTEXT_BYTES + (64 << 10);

    private final ByteChannel below;
    private final SSLEngine engine;
    private final ByteBuffer incoming =
            PageAligned.allocate(REST_BYTES + CIPHERTEXT_BYTES).limit(0);
    private final ReentrantLock writing = new ReentrantLock();
    private final ByteBuffer outgoing; // guarded by it
    private final ByteBuffer record;

    private TlsChannel(ByteChannel below, SSLEngine engine) {
        this.below = below;
        this.engine = engine;
        this.outgoing = ByteBuffer.allocateDirect(engine.getSession().getPacketBufferSize());
        this.record = ByteBuffer.allocateDirect(engine.getSession().getApplicationBufferSize())
                .limit(0);
    }

    /**
     * Performs the handshake over a connected channel.
     *
     * @param engine of either side, not started yet; it is released with the channel
     * @throws IOException also if one end does not trust the other; the other end then receives an alert
     */
    public static TlsChannel handshake(ByteChannel below, SSLEngine engine) throws IOException {
        TlsChannel channel = new TlsChannel(below, engine);
        try {
            engine.beginHandshake();
            channel.shakeHands(engine.getHandshakeStatus());
            return channel;
        } catch (SSLException refused) {
            channel.alert(refused);
            channel.release();
            throw refused;
        } catch (IOException | RuntimeException e) {
            channel.release();
            throw e;
        }
    }

    /** Sends the alert that the engine has prepared for a refusal. */
    private void alert(SSLException failure) {
        try {
            wrap(ByteBuffer.allocate(0));
        } catch (IOException | RuntimeException alsoFailed) {
            failure.addSuppressed(alsoFailed);
        }
    }

    private void shakeHands(HandshakeStatus first) throws IOException {
        HandshakeStatus status = first;
        while (true) {
            switch (status) {
                case NEED_WRAP -> status = wrap(ByteBuffer.allocate(0)).getHandshakeStatus();
                case NEED_TASK -> {
                    runTasks();
                    status = engine.getHandshakeStatus();
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    record.clear();
                    SSLEngineResult result = unwrap(record);
                    record.flip(); // bytes that the peer sent directly after its handshake
                    status = result.getHandshakeStatus();
                }
                case FINISHED, NOT_HANDSHAKING -> {
                    return;
                }
            }
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Called by writers, and by readers that must answer a key update. */
    private SSLEngineResult wrap(ByteBuffer plain) throws IOException {
        SSLEngineResult result;
        writing.lock();
        try {
            outgoing.clear();
            result = engine.wrap(plain, outgoing);
            outgoing.flip();
            while (outgoing.hasRemaining()) {
                below.write(outgoing);
            }
        } finally {
            writing.unlock();
        }
        if (result.getStatus() == Status.BUFFER_OVERFLOW) {
            throw new IOException("a record does not fit in " + outgoing.capacity() + " bytes");
        }
        return result;
    }

    /**
     * Decrypts at least one record into {@code plain}, which has room for the longest one; reads more if none is
     * complete. Some engines decrypt as many as they are given, and keep what {@code plain} has no room for.
     */
    private SSLEngineResult unwrap(ByteBuffer plain) throws IOException {
        while (true) {
            SSLEngineResult result = engine.unwrap(incoming, plain);
            if (result.getStatus() == Status.OK || result.bytesProduced() > 0) {
                return result; // an end behind those bytes is reported by the next call
            }
            switch (result.getStatus()) {
                case CLOSED -> throw new EOFException("the peer closed the connection");
                case BUFFER_OVERFLOW -> throw new IOException("a record of more than " + plain.remaining() + " bytes");
                default -> fill();
            }
        }
    }

    private SSLEngineResult unwrap(ByteBuffer plain, boolean mayWait) throws IOException {
        return mayWait ? unwrap(plain) : engine.unwrap(incoming, plain);
    }

    private void fill() throws IOException {
        int rest = incoming.remaining();
        if (rest > REST_BYTES) {
            throw new SSLException("a record of more than " + REST_BYTES + " bytes (expected: at most that)");
        }
        int from = incoming.position();
        incoming.clear().put(REST_BYTES - rest, incoming, from, rest).position(REST_BYTES);
        try {
            if (below.read(incoming) < 0) {
                throw new EOFException("the peer closed the connection");
            }
        } finally {
            incoming.flip().position(REST_BYTES - rest);
        }
    }

    /** Reads at least one byte, and as many of the bytes received already as fit. */
    @Override
    public int read(ByteBuffer into) throws IOException {
        int before = into.position();
        drain(into);
        while (into.hasRemaining() && (into.position() == before || incoming.hasRemaining())) {
            boolean mayWait =
                    into.position() == before; // else only records received already: the caller has some bytes
            SSLEngineResult result;
            if (into.remaining() >= record.capacity()) {
                result = unwrap(into, mayWait);
            } else {
                record.clear();
                try {
                    result = unwrap(record, mayWait);
                } finally {
                    record.flip(); // empty if that has timed out: what was in it before was read
                }
                drain(into);
            }
            if (result.getStatus() != Status.OK) {
                break; // full, or at the end, which the next read reports
            }
            answer(result.getHandshakeStatus());
        }
        return into.position() - before;
    }

    /** Answers a peer's key update, which may come at any time. */
    private void answer(HandshakeStatus wanted) throws IOException {
        if (wanted == HandshakeStatus.NEED_TASK) {
            runTasks();
        } else if (wanted == HandshakeStatus.NEED_WRAP) {
            wrap(ByteBuffer.allocate(0));
        }
    }

    private void drain(ByteBuffer into) {
        int length = Math.min(record.remaining(), into.remaining());
        into.put(into.position(), record, record.position(), length);
        into.position(into.position() + length);
        record.position(record.position() + length);
    }

    /** Writes all of {@code plain}. */
    @Override
    public int write(ByteBuffer plain) throws IOException {
        int length = plain.remaining();
        while (plain.hasRemaining()) {
            SSLEngineResult result = wrap(plain);
            if (result.getStatus() == Status.CLOSED) {
                throw new EOFException("the connection is closed");
            }
            answer(result.getHandshakeStatus());
        }
        return length;
    }

    @Override
    public boolean isOpen() {
        return below.isOpen();
    }

    /** Closes the channel below, and releases the engine. */
    @Override
    public void close() throws IOException {
        release();
        below.close();
    }

    /** The verified certificates of the peer, its own first. */
    public List<X509Certificate> certificates() {
        return Certificates.of(engine.getSession());
    }

    private void release() {
        ReferenceCountUtil.safeRelease(engine); // native memory, if it is not the JDK's
    }
}
