package io.sluice.netty.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A blocking connection whose reads may have a timeout, unlike those of a {@link SocketChannel}.
 *
 * <p>For one reading and one writing thread; any thread may {@link #close}, which ends blocked calls.
 */
public final class BlockingSocket implements ByteChannel {
    /** Reads with a timeout are used for handshakes and heartbeats. */
    private static final int TIMED_READ_BYTES = 4 << 10;

    private final SocketChannel socket;
    private boolean isTimed;
    private long deadlineNanos;

    private BlockingSocket(SocketChannel socket) {
        this.socket = socket;
    }

    /** A socket that is not connected yet. */
    public static BlockingSocket open() throws IOException {
        return new BlockingSocket(SocketChannel.open());
    }

    /**
     * Connects.
     *
     * @throws java.net.SocketTimeoutException if it takes longer than {@code patienceMillis}
     */
    public void connect(InetSocketAddress peer, SocketTuning tuning, int patienceMillis) throws IOException {
        tuning.applyTo(socket);
        socket.socket().connect(peer, patienceMillis);
    }

    /** Sets a deadline for all following reads together; a read that is not complete by then fails. */
    public void within(Duration limit) {
        isTimed = true;
        deadlineNanos = System.nanoTime() + limit.toNanos();
    }

    /** Removes the deadline. */
    public void withoutLimit() throws SocketException {
        isTimed = false;
        socket.socket().setSoTimeout(0);
    }

    /**
     * Reads at least one byte, or -1 at the end.
     *
     * @throws java.net.SocketTimeoutException if nothing arrived before the deadline
     */
    @Override
    public int read(ByteBuffer into) throws IOException {
        if (!isTimed) {
            return socket.read(into);
        }
        long leftNanos = deadlineNanos - System.nanoTime();
        if (leftNanos <= 0) {
            throw new SocketTimeoutException("the peer did not answer in time");
        }
        long leftMillis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos));
        socket.socket().setSoTimeout((int) Math.min(leftMillis, Integer.MAX_VALUE));
        byte[] bytes = new byte[Math.min(into.remaining(), TIMED_READ_BYTES)];
        int count = socket.socket().getInputStream().read(bytes);
        into.put(bytes, 0, Math.max(0, count));
        return count;
    }

    /** Writes all of {@code bytes}. */
    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
        return length;
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
