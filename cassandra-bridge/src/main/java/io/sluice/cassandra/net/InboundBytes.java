package io.sluice.cassandra.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.sluice.cassandra.wire.ConnectionLostException;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Received bytes of a connection, for a reader that may block: the event loop adds bytes, one thread reads them. While
 * too many bytes wait, the socket is not read, so the peer has to wait as well.
 *
 * <p>Thread-safe by its lock, for one reader.
 */
public final class InboundBytes extends InputStream {
    private static final int LEAST_READ_BYTES = 64;
    private static final int FIRST_READ_BYTES = 2_048;
    private static final int MOST_READ_BYTES = 1 << 20;
    private static final int MOST_WAITING_BYTES = 4 << 20;

    private final Lock lock;
    private final Condition changed;
    private final Deque<ByteBuf> waiting = new ArrayDeque<>();
    private final String peer;
    private long timeoutNanos;
    private long waitingBytes;
    private boolean isPaused;
    private boolean isClosed;
    private @Nullable String end;
    private @Nullable String failure;
    private @Nullable ChannelHandlerContext context;

    /**
     * @param lock on whose condition reads wait
     * @param timeoutNanos the longest that a read waits, until {@link #setTimeout}
     */
    public InboundBytes(String peer, Lock lock, long timeoutNanos) {
        this.peer = peer;
        this.lock = lock;
        this.changed = lock.newCondition();
        this.timeoutNanos = timeoutNanos;
    }

    /** The handler that adds the bytes; last in the channel's pipeline. */
    public ChannelInboundHandlerAdapter handler() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void handlerAdded(ChannelHandlerContext ctx) {
                context = ctx;
                // While much arrives, read much at once: each hand-over to the reader costs a switch of threads.
                ctx.channel()
                        .config()
                        .setRecvByteBufAllocator(
                                new AdaptiveRecvByteBufAllocator(LEAST_READ_BYTES, FIRST_READ_BYTES, MOST_READ_BYTES));
            }

            @Override
            public void channelRead(ChannelHandlerContext ctx, Object bytes) {
                add((ByteBuf) bytes);
            }

            @Override
            public void channelInactive(ChannelHandlerContext ctx) {
                end("closed by " + peer);
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                fail(TlsFailure.reason(cause).orElseGet(() -> String.valueOf(cause.getMessage())));
                var unused = ctx.close();
            }
        };
    }

    /** Bounds each wait from now on. */
    void setTimeout(long nanos) {
        lock.lock();
        try {
            timeoutNanos = nanos;
        } finally {
            lock.unlock();
        }
    }

    private void add(ByteBuf bytes) {
        lock.lock();
        try {
            if (isClosed || !bytes.isReadable()) {
                bytes.release();
                return;
            }
            waiting.add(bytes);
            waitingBytes += bytes.capacity(); // counts the memory, however little of it is used
            if (waitingBytes > MOST_WAITING_BYTES && !isPaused) {
                isPaused = true;
                Objects.requireNonNull(context).channel().config().setAutoRead(false);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the input; the first reason counts. */
    void end(String reason) {
        lock.lock();
        try {
            if (end == null) {
                end = reason;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void fail(String reason) {
        lock.lock();
        try {
            if (end == null) {
                failure = reason;
                end(peer + ": " + reason);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Why the connection failed, unless it is open or has ended without an error. */
    Optional<String> failure() {
        lock.lock();
        try {
            return Optional.ofNullable(failure);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read() throws IOException {
        lock.lock();
        try {
            ByteBuf head = head();
            if (head == null) {
                return -1;
            }
            int value = head.readUnsignedByte();
            taken(head);
            return value;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        lock.lock();
        try {
            ByteBuf head = head();
            if (head == null) {
                return -1;
            }
            int count = Math.min(length, head.readableBytes());
            head.readBytes(into, offset, count);
            taken(head);
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** The buffer to read from, or null at an end that is no failure. */
    private @Nullable ByteBuf head() throws IOException {
        long left = timeoutNanos;
        while (waiting.isEmpty() && end == null) {
            if (left <= 0) {
                throw new StreamException(
                        ErrorCode.TIMEOUT,
                        peer + " sent nothing for " + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s");
            }
            try {
                left = changed.awaitNanos(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ConnectionLostException("interrupted while waiting for " + peer, e);
            }
        }
        if (waiting.isEmpty() && failure != null) {
            throw new ConnectionLostException(peer + ": " + failure);
        }
        return waiting.peek();
    }

    private void taken(ByteBuf head) {
        // Closing releases waiting buffers, even while their bytes are being written to a file.
        if (!isClosed && !head.isReadable()) {
            waitingBytes -= head.capacity();
            waiting.remove().release();
        }
        if (isPaused && waitingBytes < MOST_WAITING_BYTES / 2) {
            isPaused = false;
            Objects.requireNonNull(context).channel().config().setAutoRead(true);
        }
    }

    /** Why the input ended, once it has. */
    String reason() {
        lock.lock();
        try {
            return end == null ? "open" : end;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            end = end == null ? "closed by us" : end;
            waiting.forEach(ByteBuf::release);
            waiting.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
