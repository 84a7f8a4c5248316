package io.sluice.netty.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.ReferenceCountUtil;
import io.sluice.netty.security.Certificates;
import io.sluice.netty.security.ClientHelloGate;
import io.sluice.netty.security.Tls;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.transfer.SourceRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One connection between two nodes: carries messages in both directions, and reports its end once. Long because each
 * way in which a channel ends is explained here.
 *
 * <p>Thread-safe for sending. Its listener is called on the connection's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close is noticed as the end of the channel
public final class Connection extends ChannelInboundHandlerAdapter implements PeerChannel {
    /** Handles a connection until it is handed over. Called on its event loop. */
    public interface FirstListener {
        /** The connection is open. */
        default void onOpen(Connection connection) {}

        /** The peer's whole ClientHello has arrived. */
        default void onGreeted(Connection connection) {}

        /** The peer has sent bytes that are not TLS, although TLS is required: the end follows. */
        default void onNotTls(Connection connection) {}

        /** The TLS handshake is complete: the peer has shown a trusted certificate, if one is required. */
        default void onSecured(Connection connection) {}

        void onMessage(Connection connection, Message message);

        /** As {@link PeerChannel.Listener#onError}. */
        default void onError(Connection connection, Throwable cause) {
            connection.fail(cause);
        }

        /** The connection is over; called exactly once, last. */
        void onEnd(Connection connection, String reason);
    }

    /** The listener that a connection was handed over to. */
    private record Next(Listener listener) implements FirstListener {
        @Override
        public void onMessage(Connection connection, Message message) {
            listener.onMessage(connection, message);
        }

        @Override
        public void onError(Connection connection, Throwable cause) {
            listener.onError(connection, cause);
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            listener.onEnd(connection, reason);
        }
    }

    /** Bytes encrypted ahead of the socket: enough that the cipher never waits for it, and bounded memory. */
    private static final WriteBufferWaterMark ENCRYPTED_WATER_MARK = new WriteBufferWaterMark(512 << 10, 1 << 20);

    /** After this time a peer that no longer reads, or has vanished, holds no resources. */
    private static final long SENDING_SECONDS = 10;

    /** How long a peer that was sent everything has time to close its end. */
    static final long LINGER_SECONDS = 2;

    private FirstListener listener;
    private @Nullable Channel channel;
    private ErrorCode endCode = ErrorCode.PEER_LOST;
    private String endReason = "the peer closed the connection";
    private boolean ended;
    private boolean isBroken;
    /** Received messages are discarded, and one that cannot be sent is no reason to close. */
    private volatile boolean isClosing;

    private volatile @Nullable PeerMemory memory;

    private Connection(FirstListener listener) {
        this.listener = listener;
    }

    /**
     * Sets up a new channel.
     *
     * @param listener supplies the first listener of each connection
     */
    public static ChannelInitializer<Channel> initializer(Supplier<? extends FirstListener> listener) {
        return initializer(listener, Optional.empty());
    }

    /**
     * Sets up a new channel.
     *
     * @param listener supplies the first listener of each connection
     * @param encryption supplies the TLS handler of each connection; empty for plain text
     */
    public static ChannelInitializer<Channel> initializer(
            Supplier<? extends FirstListener> listener,
            Optional<Function<ByteBufAllocator, ? extends ChannelHandler>> encryption) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                encryption.ifPresent(encrypter -> {
                    channel.config().setWriteBufferWaterMark(ENCRYPTED_WATER_MARK);
                    channel.pipeline().addLast(encrypter.apply(channel.alloc()), new RegionEncrypter());
                });
                channel.pipeline().addLast(new FrameDecoder()).addLast(new Connection(listener.get()));
            }
        };
    }

    /** Whether bytes are encrypted: then file regions cannot be sent. */
    public boolean isEncrypted() {
        return channel().pipeline().get(SslHandler.class) != null;
    }

    /** From now on {@code next} handles the connection. On the event loop. */
    public void handOver(Listener next) {
        this.listener = new Next(next);
    }

    @Override
    public void charge(PeerMemory peer) {
        memory = peer;
        channel().pipeline().get(FrameDecoder.class).charge(peer);
    }

    @Override
    public void send(Message message, Consumer<Boolean> end) {
        Channel open = channel();
        ByteBuffer frame = MessageCodec.encode(message);
        PeerMemory payer = memory;
        long cost = frame.capacity(); // of the array behind it, which is longer
        if (payer != null && !payer.tryTake(cost)) {
            fail(new StreamException(ErrorCode.LIMIT, "the peer does not read its messages: " + payer.shortage(cost)));
            end.accept(false);
            return;
        }
        // Add the listener before the write: otherwise the peer's answer may arrive before the write is reported.
        ChannelPromise promise = open.newPromise().addListener(written -> {
            if (payer != null) {
                payer.release(cost);
            }
            if (!written.isSuccess() && !isClosing) {
                notSent(written.cause());
                open.close();
            }
            end.accept(written.isSuccess());
        });
        open.writeAndFlush(Unpooled.wrappedBuffer(frame), promise);
    }

    @Override
    public void send(SourceRegion region, Consumer<Optional<Throwable>> end) {
        Object content = isEncrypted()
                ? new EncryptedRegion(region.file(), region.offset(), region.lengthBytes())
                : new DefaultFileRegion(region.file().toFile(), region.offset(), region.lengthBytes());
        Channel open = channel();
        open.writeAndFlush(content, open.newPromise().addListener(sent -> {
            if (!sent.isSuccess()) {
                notSent(sent.cause());
            }
            end.accept(sent.isSuccess() ? Optional.empty() : Optional.of(sent.cause()));
        }));
    }

    /** A failed write closes the channel without an exception in the pipeline, also when the kernel closes it. */
    private void notSent(Throwable cause) {
        if (!(cause instanceof ClosedChannelException || cause instanceof SSLException)) { // both follow the end
            endReason = "could not send, or the peer did not read: " + cause.getMessage();
        }
    }

    @Override
    public boolean isOpen() {
        return channel().isActive() && !isClosing;
    }

    @Override
    public void read(boolean isWanted) {
        channel().config().setAutoRead(isWanted || isClosing);
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        return NettyLoop.timer(channel()
                .eventLoop()
                .schedule(
                        () -> {
                            try {
                                task.run();
                            } catch (RuntimeException | Error e) {
                                broken(e);
                            }
                        },
                        nanos,
                        TimeUnit.NANOSECONDS));
    }

    @Override
    public ErrorCode endCode() {
        return endCode;
    }

    @Override
    public String address() {
        return channel().remoteAddress() instanceof java.net.InetSocketAddress remote ? remote.getHostString() : "?";
    }

    @Override
    public Peer peer(UUID id) {
        return new Peer(id, address(), certificates());
    }

    private List<X509Certificate> certificates() {
        SslHandler encryption = channel().pipeline().get(SslHandler.class);
        return encryption == null
                ? List.of()
                : Certificates.of(encryption.engine().getSession());
    }

    /** What is known about the other end before its hello. */
    public AuditEvent.Identity identity() {
        return new AuditEvent.Identity(
                address(), Optional.empty(), certificates().stream().findFirst().map(Peer::fingerprint));
    }

    /** The Netty channel. */
    public Channel channel() {
        return Objects.requireNonNull(channel, "used before it was connected");
    }

    @Override
    public void fail(Throwable cause) {
        endCode = cause instanceof StreamException known ? known.code() : ErrorCode.PEER_LOST;
        endReason = String.valueOf(cause.getMessage());
        channel().close();
    }

    /** Ends the connection by a reset, so that the kernel keeps no state either. On the event loop. */
    public void reset(StreamException cause) {
        if (channel().isOpen()) {
            channel().config().setOption(ChannelOption.SO_LINGER, 0);
            fail(cause);
        }
    }

    /**
     * Closes the output first, and reads until the peer closes: a socket that is closed with unread bytes in it is
     * reset, and a reset overtakes the last message (RFC 1122, 4.2.2.13).
     */
    @Override
    public void close() {
        Channel open = channel();
        isClosing = true;
        closeAfter(SENDING_SECONDS);
        open.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> {
            if (sent.isSuccess() && open instanceof DuplexChannel duplex) {
                closeOutput(duplex);
            } else {
                open.close();
            }
        });
    }

    private void closeOutput(DuplexChannel open) {
        closeAfter(LINGER_SECONDS);
        open.config().setAutoRead(true);
        SslHandler encryption = open.pipeline().get(SslHandler.class);
        if (encryption == null) {
            open.shutdownOutput();
        } else {
            encryption.closeOutbound().addListener(notified -> open.shutdownOutput());
        }
    }

    private void closeAfter(long seconds) {
        Channel open = channel();
        if (!open.eventLoop().isShuttingDown()) {
            Timer last = after(TimeUnit.SECONDS.toNanos(seconds), () -> open.close());
            open.closeFuture().addListener(closed -> last.cancel());
        }
    }

    /** Sends a last message, and closes the connection without waiting for the peer, of which nothing is known. */
    public void refuse(Message.SessionFailed reason) {
        Channel open = channel();
        closeAfter(SENDING_SECONDS);
        send(reason, sent -> open.close());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        listener.onOpen(this);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ClientHelloGate.Passed.CLIENT_HELLO) {
            listener.onGreeted(this);
        } else if (event instanceof SslHandshakeCompletionEvent end && end.isSuccess()) {
            try {
                Tls.requireNegotiated(
                        context.pipeline().get(SslHandler.class).engine().getSession());
                listener.onSecured(this);
            } catch (SSLException e) {
                fail(Certificates.explained(e));
            }
        } else if (event instanceof SslHandshakeCompletionEvent end
                && end.cause() instanceof SslHandshakeTimeoutException late) { // the handler closes without exception
            fail(new StreamException(ErrorCode.TIMEOUT, "no answer in the TLS handshake: " + late.getMessage()));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        try {
            if (isBroken || isClosing) {
                return;
            }
            if (read instanceof Message message) {
                listener.onMessage(this, message);
            } else {
                fail(new StreamException(ErrorCode.PROTOCOL, "file bytes on a connection that carries only messages"));
            }
        } finally {
            ReferenceCountUtil.release(read);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!ended) {
            ended = true;
            listener.onEnd(this, endReason);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Throwable inner = cause instanceof DecoderException ? cause.getCause() : null;
        Throwable reason = inner == null ? cause : inner;
        if (reason instanceof NotSslRecordException) {
            listener.onNotTls(this);
        }
        if (reason instanceof IOException) {
            fail(reason instanceof SSLException failure ? Certificates.explained(failure) : reason);
        } else {
            broken(reason);
        }
    }

    /** Any exception ends this connection and its session, and no other. */
    private void broken(Throwable cause) {
        isBroken = true;
        try {
            listener.onError(this, cause);
        } catch (RuntimeException | Error e) {
            fail(e);
        }
        Failure.throwIfFatal(cause);
    }
}
