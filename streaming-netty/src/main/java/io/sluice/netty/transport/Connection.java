package io.sluice.netty.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.ReferenceCountUtil;
import io.sluice.netty.memory.PeerMemory;
import io.sluice.netty.security.Certificates;
import io.sluice.netty.security.ClientHelloGate;
import io.sluice.netty.security.Tls;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.Peer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One connection between two nodes: messages in both directions, and the end said once.
 *
 * <p>Thread-safe for sending. The {@link Listener} is called on the connection's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what a write or close comes to is heard as the end of the channel
public final class Connection extends ChannelInboundHandlerAdapter {
    /** Who handles what a connection brings. Replaced as the conversation goes on. */
    public interface Listener {
        /** The connection is there. Heard by the first listener only. */
        default void onOpen(Connection connection) {}

        /** The peer has begun a TLS handshake in earnest: its whole ClientHello is here. The first listener only. */
        default void onGreeted(Connection connection) {}

        /** What the peer has sent is not TLS, which is expected: the end follows. */
        default void onNotTls(Connection connection) {}

        /**
         * TLS is up: the peer has shown a certificate that is trusted, if one is asked for. The first listener only.
         */
        default void onSecured(Connection connection) {}

        void onMessage(Connection connection, Message message);

        /**
         * What the peer sent cannot be read, or handling it has failed: nothing more is read. Unless the listener says
         * why and closes the connection, it ends here.
         */
        default void onError(Connection connection, Throwable cause) {
            connection.fail(cause);
        }

        /** Raw bytes after a {@link Message.Stream}; the listener releases them. */
        default void onPayload(Connection connection, ByteBuf bytes) {
            bytes.release();
            connection.fail(new StreamException(ErrorCode.PROTOCOL, "file bytes on a connection that carries none"));
        }

        /** The connection is over; called exactly once, last. */
        void onEnd(Connection connection, String reason);
    }

    /** What is encrypted ahead of the socket: the cipher never waits for it, and memory is bounded. */
    private static final WriteBufferWaterMark ENCRYPTED_WATER_MARK = new WriteBufferWaterMark(512 << 10, 1 << 20);

    /** A peer that takes nothing any more, or is gone without a word, holds nothing for longer. */
    private static final long PARTING_SECONDS = 10;

    private Listener listener;
    private @Nullable Channel channel;
    private ErrorCode endCode = ErrorCode.PEER_LOST;
    private String endReason = "the peer closed the connection";
    private boolean ended;
    private boolean isBroken;
    private volatile @Nullable PeerMemory memory;

    private Connection(Listener listener) {
        this.listener = listener;
    }

    /**
     * What a new channel is set up with.
     *
     * @param listener makes the first listener of each connection
     */
    public static ChannelInitializer<Channel> initializer(Supplier<Listener> listener) {
        return initializer(listener, Optional.empty());
    }

    /**
     * What a new channel is set up with.
     *
     * @param listener makes the first listener of each connection
     * @param encryption makes what encrypts each connection; empty for plain text
     */
    public static ChannelInitializer<Channel> initializer(
            Supplier<Listener> listener, Optional<Function<ByteBufAllocator, ? extends ChannelHandler>> encryption) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                encryption.ifPresent(encrypter -> {
                    channel.config().setWriteBufferWaterMark(ENCRYPTED_WATER_MARK);
                    channel.pipeline().addLast(encrypter.apply(channel.alloc()), new ChunkedWriteHandler());
                });
                channel.pipeline().addLast(new FrameDecoder()).addLast(new Connection(listener.get()));
            }
        };
    }

    /** Whether bytes are encrypted: then file regions cannot be sent. */
    public boolean isEncrypted() {
        return channel().pipeline().get(SslHandler.class) != null;
    }

    /** From now on {@code next} hears of what comes. Called on the event loop. */
    public void handOver(Listener next) {
        this.listener = next;
    }

    /** From now on {@code peer} pays for what is on its way here or waits to leave. On the event loop. */
    public void charge(PeerMemory peer) {
        memory = peer;
        channel().pipeline().get(FrameDecoder.class).charge(peer);
    }

    /** Sends one message; a failure, or no memory for it, ends the connection. */
    public void send(Message message) {
        send(message, sent -> {});
    }

    /** The same; {@code end} is told once whether it has left, or never will. */
    public void send(Message message, Consumer<Boolean> end) {
        Channel open = channel();
        ByteBuffer frame = MessageCodec.encode(message);
        PeerMemory payer = memory;
        long cost = frame.remaining();
        if (payer != null && !payer.tryTake(cost)) {
            fail(new StreamException(
                    ErrorCode.LIMIT, "the peer does not read what it is told: " + payer.shortage(cost)));
            end.accept(false);
            return;
        }
        open.writeAndFlush(Unpooled.wrappedBuffer(frame)).addListener(written -> {
            if (payer != null) {
                payer.give(cost);
            }
            if (!written.isSuccess()) {
                open.close();
            }
            end.accept(written.isSuccess());
        });
    }

    /** Runs {@code task} later on the connection's event loop, unless the answer is cancelled. */
    public Future<?> after(long delay, TimeUnit unit, Runnable task) {
        return channel()
                .eventLoop()
                .schedule(
                        () -> {
                            try {
                                task.run();
                            } catch (RuntimeException | Error e) {
                                broken(e);
                            }
                        },
                        delay,
                        unit);
    }

    /** Why it has ended, if this end has ended it; {@link ErrorCode#PEER_LOST} else. On the event loop. */
    public ErrorCode endCode() {
        return endCode;
    }

    /** The other end's address, without its port. */
    public String address() {
        return channel().remoteAddress() instanceof java.net.InetSocketAddress remote ? remote.getHostString() : "?";
    }

    /** The other end, which says that it is the node {@code id}. */
    public Peer peer(UUID id) {
        return new Peer(id, address(), certificates());
    }

    private List<X509Certificate> certificates() {
        SslHandler encryption = channel().pipeline().get(SslHandler.class);
        return encryption == null
                ? List.of()
                : Certificates.of(encryption.engine().getSession());
    }

    /** What is known of the other end before it has said which node it is. */
    public AuditEvent.Identity identity() {
        return new AuditEvent.Identity(
                address(), Optional.empty(), certificates().stream().findFirst().map(Peer::fingerprint));
    }

    /** For file regions. */
    public Channel channel() {
        return Objects.requireNonNull(channel, "used before it was connected");
    }

    /** Ends the connection because of an error at this end or a violation by the peer. */
    public void fail(Throwable cause) {
        endCode = cause instanceof StreamException known ? known.code() : ErrorCode.PEER_LOST;
        endReason = String.valueOf(cause.getMessage());
        channel().close();
    }

    /** Ends the connection by a reset, so that the kernel keeps nothing of it either. On the event loop. */
    public void reset(StreamException cause) {
        if (channel().isOpen()) {
            channel().config().setOption(ChannelOption.SO_LINGER, 0);
            fail(cause);
        }
    }

    /** Ends the connection after everything sent has left, or at least was given 10 s for it. */
    public void close() {
        Channel open = channel();
        if (!open.eventLoop().isShuttingDown()) {
            Future<?> last = after(PARTING_SECONDS, TimeUnit.SECONDS, () -> open.close());
            open.closeFuture().addListener(closed -> last.cancel(false));
        }
        open.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(future -> open.close());
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
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        try {
            if (isBroken) {
                return;
            }
            if (read instanceof Message message) {
                listener.onMessage(this, message);
            } else {
                listener.onPayload(this, (ByteBuf) ReferenceCountUtil.retain(read));
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

    /** Whatever it is, it ends this connection, and what hangs on it, and no other one. */
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
