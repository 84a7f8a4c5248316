package io.sluice.netty.security;

import io.netty.util.ReferenceCountUtil;
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
 * A blocking encrypted channel over a blocking channel. It decrypts into the caller's buffer, and asks the socket for
 * many records at once; so a byte is copied once on its way, by the cipher.
 *
 * <p>For one thread that reads and one that writes; anybody may ask {@link #isOpen} and close the channel below.
 */
public final class TlsChannel implements ByteChannel {
    private static final int CIPHERTEXT_BYTES = 512 << 10;

    /** What a channel takes outside of the heap, besides the buffer that is decrypted into: at most. */
    public static final int DIRECT_BYTES = CIPHERTEXT_BYTES + (64 << 10);

    private final ByteChannel below;
    private final SSLEngine engine;
    private final ByteBuffer incoming =
            ByteBuffer.allocateDirect(CIPHERTEXT_BYTES).limit(0);
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
     * Shakes hands over a connected channel.
     *
     * @param engine of either side, not begun yet; it is released with the channel
     * @throws IOException also if one end does not trust the other; then the other was sent an alert
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

    /** The alert about a refusal lies in the engine. */
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
                    record.flip(); // what the peer says right behind its last word of the handshake
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

    /** Both who writes and who reads may have something to send: an answer to new keys. */
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

    /** Decrypts one record into {@code plain}, which has room for the longest one; reads more if none is whole. */
    private SSLEngineResult unwrap(ByteBuffer plain) throws IOException {
        while (true) {
            SSLEngineResult result = engine.unwrap(incoming, plain);
            if (result.getStatus() == Status.CLOSED) {
                throw new EOFException("the peer closed the connection");
            }
            if (result.getStatus() == Status.BUFFER_OVERFLOW) {
                throw new IOException("a record of more than " + plain.remaining() + " bytes");
            }
            if (result.getStatus() == Status.OK) {
                return result;
            }
            fill();
        }
    }

    private void fill() throws IOException {
        incoming.compact();
        try {
            if (below.read(incoming) < 0) {
                throw new EOFException("the peer closed the connection");
            }
        } finally {
            incoming.flip();
        }
    }

    /** Reads at least one byte, and all that was received already, as far as there is room. */
    @Override
    public int read(ByteBuffer into) throws IOException {
        int before = into.position();
        drain(into);
        while (into.hasRemaining() && (into.position() == before || incoming.hasRemaining())) {
            boolean isDirect = into.remaining() >= record.capacity();
            ByteBuffer plain = isDirect ? into : record.clear();
            SSLEngineResult result;
            if (into.position() == before) {
                result = unwrap(plain);
            } else {
                result = engine.unwrap(incoming, plain); // only what is here: the caller has something already
            }
            if (!isDirect) {
                record.flip();
                drain(into);
            }
            if (result.getStatus() != Status.OK) {
                break; // the next read shows
            }
            answer(result.getHandshakeStatus());
        }
        return into.position() - before;
    }

    /** A peer may change its keys at any time, and wants an answer. */
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

    /** Closes the channel below, and releases what the engine holds. */
    @Override
    public void close() throws IOException {
        release();
        below.close();
    }

    /** What the peer has proved itself by, its own certificate first. */
    public List<X509Certificate> certificates() {
        return Certificates.of(engine.getSession());
    }

    private void release() {
        ReferenceCountUtil.safeRelease(engine); // native memory, if it is not the JDK's
    }
}
