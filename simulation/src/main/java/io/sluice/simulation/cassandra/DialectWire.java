package io.sluice.simulation.cassandra;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.cassandra.net.TimedChannel;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

/** A connection, whose two ends the driver uses as it uses sockets. Not thread-safe: for threads that take turns. */
final class DialectWire {
    private final TurnTaking turns;
    private final DialectHost client;
    private final DialectHost server;
    private final InetSocketAddress from;
    private final InetSocketAddress to;
    private final Connecting connecting;
    private final Accepted accepted = new Accepted();
    private final Flow there;
    private final Flow back;
    private final boolean isLostBothWays;

    /** What the two ends do, and what happens on the way. */
    record Plan(
            DialectHost client,
            InetSocketAddress from,
            DialectHost server,
            InetSocketAddress to,
            WireFaults there,
            WireFaults back,
            Transcript says,
            Transcript answers) {}

    DialectWire(TurnTaking turns, SplittableRandom random, Plan plan, ChannelHandler handler) {
        this.turns = turns;
        this.isLostBothWays = random.nextBoolean();
        this.client = plan.client();
        this.server = plan.server();
        this.from = plan.from();
        this.to = plan.to();
        this.there = new Flow(turns, random, plan.there(), plan.says(), accepted);
        this.connecting = new Connecting(DialectHost.TIMEOUT, handler);
        this.back = new Flow(turns, random, plan.back(), plan.answers(), new Arriving());
    }

    /** The end that has connected. */
    EmbeddedChannel connecting() {
        return connecting;
    }

    /** The end that has accepted. */
    TimedChannel accepted() {
        return accepted;
    }

    /** What the connecting end sends. */
    Flow there() {
        return there;
    }

    /** What the accepting end sends. */
    Flow back() {
        return back;
    }

    /** Whether a process that lives has not closed its end. */
    boolean isOpen() {
        return (accepted.isOpen() && !server.isDead()) || (connecting.isOpen() && !client.isDead());
    }

    /** Whether one of its ends is in this process. */
    boolean isOf(DialectHost host) {
        return client == host || server == host;
    }

    /** Where it leads. */
    InetSocketAddress to() {
        return to;
    }

    /** Where it comes from. */
    InetSocketAddress from() {
        return from;
    }

    /** Both ends lose the connection. */
    void cut() {
        there.breakOff();
        back.breakOff();
        accepted.isReset = true;
        connecting.lost();
    }

    /** What arrives at the connecting end. */
    private final class Arriving implements Flow.Receiver {
        @Override
        public void arrived(byte[] bytes) {
            if (connecting.isOpen()) {
                connecting.writeInbound(Unpooled.wrappedBuffer(bytes));
            } else {
                back.breakOff();
            }
        }

        @Override
        public void ended() {
            connecting.lost();
        }

        @Override
        public void cut() {
            DialectWire.this.cut();
        }

        @Override
        public void lost() {
            if (isLostBothWays) {
                there.lose();
                back.lose();
            }
        }

        @Override
        public void unacknowledged() {
            // The accepting end has no such limit of its own: the kernel's is longer than any of its timeouts.
        }

        @Override
        public int unreadBytes() {
            return 0; // what a node answers is short
        }
    }

    /** The end that has connected, as a channel of Netty. */
    private final class Connecting extends EmbeddedChannel {
        private final Duration timeout;

        Connecting(Duration timeout, ChannelHandler handler) {
            super(handler);
            this.timeout = timeout;
        }

        @Override
        protected SocketAddress localAddress0() {
            return from;
        }

        @Override
        protected SocketAddress remoteAddress0() {
            return to;
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer out) throws Exception {
            for (Object next = out.current(); next != null; next = out.current()) {
                there.write(bytes(next), timeout.toNanos());
                out.remove();
            }
        }

        private byte[] bytes(Object message) throws IOException {
            if (message instanceof FileRegion region) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                while (region.transferred() < region.count()) {
                    region.transferTo(Channels.newChannel(bytes), region.transferred());
                }
                return bytes.toByteArray();
            }
            ByteBuf buffer = (ByteBuf) message;
            byte[] bytes = new byte[buffer.readableBytes()];
            buffer.getBytes(buffer.readerIndex(), bytes);
            return bytes;
        }

        @Override
        protected void doClose() throws Exception {
            super.doClose();
            there.finish();
        }

        /** The other end is gone. */
        void lost() {
            if (isOpen()) {
                var unused = close();
            }
        }
    }

    /** The end that has accepted, as a socket with timeouts. */
    private final class Accepted implements TimedChannel, Flow.Receiver {
        private final Deque<byte[]> unread = new ArrayDeque<>();
        private int unreadBytes;
        private Duration readTimeout = DialectHost.HANDSHAKE_TIMEOUT;
        private Duration writeTimeout = DialectHost.HANDSHAKE_TIMEOUT;
        private long readDeadlineNanos = Long.MAX_VALUE;
        private boolean hasEnded;
        private boolean isReset;
        private boolean isClosed;

        @Override
        public InetSocketAddress peer() {
            return from;
        }

        @Override
        public void setReadTimeout(Duration limit) {
            readTimeout = limit;
            readDeadlineNanos = Long.MAX_VALUE;
        }

        @Override
        public void setReadDeadline(Duration limit) {
            readDeadlineNanos = turns.nanoTime() + limit.toNanos();
        }

        @Override
        public void setWriteTimeout(Duration limit) {
            writeTimeout = limit;
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            try {
                long limit = Math.min(readTimeout.toNanos(), readDeadlineNanos - turns.nanoTime());
                boolean isReady =
                        limit > 0 && turns.await(() -> isClosed || isReset || hasEnded || unreadBytes > 0, limit);
                if (!isReady) {
                    throw new StreamException(ErrorCode.TIMEOUT, from + " sent nothing");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for " + from, e);
            }
            if (isClosed) {
                throw new ClosedChannelException();
            }
            if (isReset) {
                throw new IOException("connection reset");
            }
            byte[] head = unread.poll();
            if (head == null) {
                return -1;
            }
            int count = Math.min(head.length, into.remaining());
            into.put(head, 0, count);
            if (count < head.length) {
                byte[] rest = new byte[head.length - count];
                System.arraycopy(head, count, rest, 0, rest.length);
                unread.addFirst(rest);
            }
            unreadBytes -= count;
            return count;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            byte[] all = new byte[bytes.remaining()];
            bytes.get(all);
            back.write(all, writeTimeout.toNanos());
            return all.length;
        }

        @Override
        public boolean isOpen() {
            return !isClosed;
        }

        @Override
        public void close() {
            if (!isClosed) {
                isClosed = true;
                back.finish();
            }
        }

        @Override
        public void arrived(byte[] bytes) {
            if (isClosed) {
                there.breakOff(); // as a socket answers: reset
                return;
            }
            unread.add(bytes);
            unreadBytes += bytes.length;
        }

        @Override
        public void ended() {
            hasEnded = true;
        }

        @Override
        public void cut() {
            DialectWire.this.cut();
        }

        @Override
        public void lost() {
            if (isLostBothWays) {
                there.lose();
                back.lose();
            }
        }

        @Override
        public void unacknowledged() {
            there.breakOff();
            connecting.lost();
        }

        @Override
        public int unreadBytes() {
            return unreadBytes;
        }
    }
}
