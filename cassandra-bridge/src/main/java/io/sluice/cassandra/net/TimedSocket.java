package io.sluice.cassandra.net;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * A socket whose reads and writes wait, but not for ever, and copy straight from and to the caller's buffer; those of a
 * blocking {@link SocketChannel} know no limit of time. For one thread that reads and one that writes; closing is for
 * anybody, and ends what waits.
 */
final class TimedSocket implements ByteChannel {
    private final SocketChannel channel;
    private final InetSocketAddress peer;
    private final Selector readable;
    private final Selector writable;
    private volatile Duration readTimeout;
    private volatile Duration writeTimeout;

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
     * Takes over a connected channel, which it closes if that fails.
     *
     * @param timeout for reads and for writes, until others are set
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

    InetSocketAddress peer() {
        return peer;
    }

    /** Bounds each wait for a byte to read from now on. */
    void setReadTimeout(Duration limit) {
        readTimeout = limit;
    }

    /** Bounds each wait for room to write from now on. */
    void setWriteTimeout(Duration limit) {
        writeTimeout = limit;
    }

    /**
     * Reads at least one byte, or -1 at the end.
     *
     * @throws StreamException if nothing came in time
     */
    @Override
    public int read(ByteBuffer into) throws IOException {
        int count = channel.read(into);
        while (count == 0) {
            await(readable, readTimeout, "said");
            count = channel.read(into);
        }
        return count;
    }

    /**
     * Writes all of {@code bytes}.
     *
     * @throws StreamException if the peer took nothing in time
     */
    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                await(writable, writeTimeout, "took");
            }
        }
        return length;
    }

    private void await(Selector selector, Duration limit, String did) throws IOException {
        try {
            if (selector.select(limit.toMillis()) == 0
                    && selector.isOpen()
                    && !Thread.currentThread().isInterrupted()) {
                throw new StreamException(
                        ErrorCode.TIMEOUT, peer + " " + did + " nothing for " + limit.toSeconds() + " s");
            }
            selector.selectedKeys().clear();
        } catch (ClosedSelectorException closed) {
            throw new ClosedChannelException();
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new IOException("interrupted while waiting for " + peer);
        }
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
