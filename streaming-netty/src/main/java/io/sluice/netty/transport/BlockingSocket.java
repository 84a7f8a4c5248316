package io.sluice.netty.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;

/**
 * A blocking connection whose reads may be given a time limit, which those of a {@link SocketChannel} do not have.
 *
 * <p>For one thread that reads and one that writes; anybody may {@link #close}: it ends what waits.
 */
public final class BlockingSocket implements ByteChannel {
    /** Reads with a limit are for the first words of a conversation, and for signs of life. */
    private static final int TIMED_READ_BYTES = 4 << 10;

    private final SocketChannel socket;
    private int patienceMillis;

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

    /** From now on a read fails that brings nothing for so long; 0 for no limit. */
    public void patienceMillis(int millis) throws SocketException {
        patienceMillis = millis;
        socket.socket().setSoTimeout(millis);
    }

    /**
     * Reads at least one byte, or -1 at the end.
     *
     * @throws java.net.SocketTimeoutException if nothing came in time
     */
    @Override
    public int read(ByteBuffer into) throws IOException {
        if (patienceMillis == 0) {
            return socket.read(into);
        }
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
