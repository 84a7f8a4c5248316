package io.sluice.cassandra.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.ssl.SslHandler;
import io.sluice.cassandra.wire.ConnectionLostException;
import io.sluice.cassandra.wire.Handshake;
import io.sluice.cassandra.wire.MessageReader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.WireInput;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A connection that we opened. It carries files, by {@code sendfile} if it is not encrypted. */
public final class OutgoingLink implements Link {
    private static final int PIECE_BYTES = 1 << 18;

    private final Channel channel;
    private final InboundBytes inbound;
    private final MessageReader messages;
    private final int version;
    private final Duration timeout;

    private OutgoingLink(Channel channel, InboundBytes arrivals, WireInput input, int version, Duration timeout) {
        this.channel = channel;
        this.inbound = arrivals;
        this.messages = new MessageReader(input);
        this.version = version;
        this.timeout = timeout;
    }

    /**
     * Shakes hands, as the connecting side.
     *
     * @param inbound what arrives on {@code channel}; its timeout is that of the handshake
     * @param identity the address that we announce as ours
     * @param timeout how long the node may read nothing, or send nothing when it must
     */
    public static OutgoingLink shakeHands(
            Channel channel, InboundBytes inbound, InetSocketAddress identity, Duration timeout) throws IOException {
        var input = new WireInput(inbound);
        var unversioned = new OutgoingLink(channel, inbound, input, 0, timeout);
        unversioned.send(Handshake.Initiate.of(identity).encode());
        int version = Handshake.Accept.read(input).use();
        inbound.setTimeout(timeout.toNanos());
        return new OutgoingLink(channel, inbound, input, version, timeout);
    }

    /** Agreed version: 12 or 13. */
    public int version() {
        return version;
    }

    /** Address of our end of the connection. */
    public InetSocketAddress local() {
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    public InetSocketAddress remote() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    private boolean isEncrypted() {
        return channel.pipeline().get(SslHandler.class) != null;
    }

    @Override
    public void setReadTimeout(Duration limit) {
        inbound.setTimeout(limit.toNanos());
    }

    @Override
    public StreamMessage read() throws IOException {
        return messages.next().orElseThrow(() -> new ConnectionLostException(inbound.reason()));
    }

    /** Waits for each piece: the header of a large file is long, and a peer that reads it slowly is not silent. */
    @Override
    public void send(Bytes bytes) throws IOException {
        ByteBuffer all = bytes.asBuffer();
        for (int at = 0; at < all.limit(); at += PIECE_BYTES) {
            await(channel.writeAndFlush(
                    Unpooled.wrappedBuffer(all.slice(at, Math.min(PIECE_BYTES, all.limit() - at)))));
        }
    }

    /**
     * Sends a region of {@code file}, by {@code sendfile} where possible, and waits until it has left.
     *
     * @throws ConnectionLostException if the connection failed
     * @throws IOException if {@code file} cannot be read
     */
    public void send(FileChannel file, long offset, long length) throws IOException {
        if (!isEncrypted()) {
            KeptOpen region = new KeptOpen(file, offset, length);
            await(channel.writeAndFlush(region), region::transferred);
            return;
        }
        for (long at = offset; at < offset + length; ) {
            int piece = (int) Math.min(PIECE_BYTES, offset + length - at);
            await(channel.writeAndFlush(read(file, at, piece)));
            at += piece;
        }
    }

    private ByteBuf read(FileChannel file, long offset, int length) throws IOException {
        ByteBuf buffer = channel.alloc().directBuffer(length);
        try {
            ByteBuffer into = buffer.nioBuffer(0, length);
            while (into.hasRemaining()) {
                if (file.read(into, offset + into.position()) < 0) {
                    throw new StreamException(
                            ErrorCode.SOURCE_CHANGED, "a file now ends at " + (offset + into.position()));
                }
            }
            return buffer.writerIndex(length);
        } catch (IOException | RuntimeException failed) {
            buffer.release();
            throw failed;
        }
    }

    /** A file region that stays open after each write; whoever opened the file closes it. */
    private static final class KeptOpen extends DefaultFileRegion {
        KeptOpen(FileChannel file, long offset, long length) {
            super(file, offset, length);
        }

        @Override
        protected void deallocate() {
            // The file is not ours.
        }
    }

    private void await(ChannelFuture sent) throws IOException {
        await(sent, () -> 0);
    }

    /** @param transferred how many bytes have left so far: while they become more, the peer reads */
    private void await(ChannelFuture sent, LongSupplier transferred) throws IOException {
        try {
            long before = 0;
            while (!sent.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                long now = transferred.getAsLong();
                if (now == before) {
                    var unused = channel.close();
                    throw new StreamException(
                            ErrorCode.TIMEOUT, remote() + " read nothing for " + timeout.toSeconds() + " s");
                }
                before = now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectionLostException("interrupted while sending to " + remote(), e);
        }
        if (!sent.isSuccess()) {
            throw new ConnectionLostException(
                    remote() + ": " + Objects.requireNonNullElse(sent.cause().getMessage(), "closed"), sent.cause());
        }
    }

    @Override
    public void close() {
        inbound.end("closed by us");
        var unused = channel.close();
        inbound.close();
    }
}
