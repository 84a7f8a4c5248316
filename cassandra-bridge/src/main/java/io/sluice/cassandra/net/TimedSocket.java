package io.sluice.cassandra.net;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose reads and writes have a timeout and copy directly from and to the caller's buffer; reads and writes of
 * a blocking {@link SocketChannel} have no timeout. One thread may read and one may write; any thread may close it,
 * which ends their waits.
 */
final class TimedSocket implements TimedChannel {
    private final SocketChannel channel;
    private final InetSocketAddress peer;
    private final Selector readable;
    private final Selector writable;
    private volatile Duration readTimeout;
    private volatile @Nullable Deadline readDeadline;
    private volatile Duration writeTimeout;

    /** When all reads must have ended, by {@link System#nanoTime}, and how long they had. */
    private record Deadline(long atNanos, Duration limit) {}

    private TimedSocket(SocketChannel channel, Selector readable, Selector writable, Duration timeout)
            throws IOException {
        this.channel = channel;
        this.peer = (InetSocketAddress) channel.getRemoteAddress();
        this.readable = readable;
        this.writable = writable;
        this.readTimeout = timeout;
        this.writeTimeout = timeout;
        channel.configureBlocking(false);
        channel.register(readable, SelectionKey.OP_READ);
        channel.register(writable, SelectionKey.OP_WRITE);
    }

    /**
     * Takes ownership of a connected channel; closes it if that fails.
     *
     * @param timeout for reads and for writes, until set otherwise
     */
    static TimedSocket of(SocketChannel channel, Duration timeout) throws IOException {
        try {
            Selector readable = Selector.open();
            try {
                return new TimedSocket(channel, readable, Selector.open(), timeout);
            } catch (IOException failed) {
                readable.close();
                throw failed;
            }
        } catch (IOException failed) {
            channel.close();
            throw failed;
        }
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    @Override
    public void setReadTimeout(Duration limit) {
        readTimeout = limit;
        readDeadline = null;
    }

    @Override
    public void setReadDeadline(Duration limit) {
        readDeadline = new Deadline(System.nanoTime() + limit.toNanos(), limit);
    }

    @Override
    public void setWriteTimeout(Duration limit) {
        writeTimeout = limit;
    }

    /**
     * Reads at least one byte, or returns -1 at the end.
     *
     * @throws StreamException if no byte arrives in time, or the deadline has passed
     */
    @Override
    public int read(ByteBuffer into) throws IOException {
        Duration limit = readLimit();
        int count = channel.read(into);
        while (count == 0) {
            boolean isReady = isReady(readable, limit);
            Duration next = readLimit(); // if the deadline has passed, that is the reason
            if (!isReady) {
                throw silence("sent", limit);
            }
            limit = next;
            count = channel.read(into);
        }
        return count;
    }

    /** The timeout, or the time to the deadline if that is less. */
    private Duration readLimit() {
        Deadline deadline = readDeadline;
        if (deadline == null) {
            return readTimeout;
        }
        Duration left = Duration.ofNanos(deadline.atNanos() - System.nanoTime());
        if (left.isNegative() || left.isZero()) {
            throw new StreamException(
                    ErrorCode.TIMEOUT,
                    peer + " has sent no complete message in "
                            + deadline.limit().toSeconds() + " s");
        }
        return left.compareTo(readTimeout) < 0 ? left : readTimeout;
    }

    /**
     * Writes all of {@code bytes}.
     *
     * @throws StreamException if the peer reads nothing in time
     */
    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        while (bytes.hasRemaining()) {
            Duration limit = writeTimeout;
            if (channel.write(bytes) == 0 && !isReady(writable, limit)) {
                throw silence("read", limit);
            }
        }
        return length;
    }

    private StreamException silence(String did, Duration limit) {
        return new StreamException(ErrorCode.TIMEOUT, peer + " " + did + " nothing for " + limit.toSeconds() + " s");
    }

    /** Waits, if need be a millisecond longer than {@code limit}; returns false if nothing has happened by then. */
    private boolean isReady(Selector selector, Duration limit) throws IOException {
        int ready;
        try {
            ready = selector.select(limit.toMillis() + 1);
            selector.selectedKeys().clear();
        } catch (ClosedSelectorException closed) {
            throw new ClosedChannelException();
        }
        if (!channel.isOpen()) { // its selectors are closed in a moment
            throw new ClosedChannelException();
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new IOException("interrupted while waiting for " + peer);
        }
        return ready > 0;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
        readable.close();
        writable.close();
    }
}
