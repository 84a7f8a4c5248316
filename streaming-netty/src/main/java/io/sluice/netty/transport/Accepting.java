package io.sluice.netty.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.util.concurrent.Future;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections in small batches, each after the previous ones were read from, so that a flood does not displace
 * connections whose hello has already arrived. Logs why a connection could not be accepted, and then waits a second: a
 * process without file descriptors neither spins nor floods its log, and open connections continue.
 *
 * <p>The first handler of a listening channel without automatic reads. Confined to its event loop.
 */
final class Accepting extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Accepting.class);

    private static final int BATCH = 16;

    /** Between batches: at most 16,000 connections per second. */
    private static final long PAUSE_MILLIS = 1;

    private static final long PAUSE_AFTER_ERROR_MILLIS = 1_000;

    private final EventLoop serving;
    private @Nullable Future<?> next;

    /** Created in advance: without a file descriptor its classes could no longer be loaded. */
    private Failure last = Failure.of(new IOException("none so far"));

    /** @param serving serves accepted connections */
    Accepting(EventLoop serving) {
        this.serving = serving;
    }

    /** Netty decides whether to read more as for a byte stream: on epoll it would accept one connection at a time. */
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        context.channel()
                .config()
                .setRecvByteBufAllocator(new ServerChannelRecvByteBufAllocator()
                        .respectMaybeMoreData(false)
                        .maxMessagesPerRead(BATCH));
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        read(context);
        context.fireChannelActive();
    }

    /** Accepts one batch: without automatic reads Netty accepts one connection per call. */
    private static void read(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(true);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(false);
        serving.execute(() -> again(context)); // after the registration of the connections just accepted
        context.fireChannelReadComplete();
    }

    /** Runs after a round of the loop that can read from the accepted connections. */
    @SuppressWarnings("FutureReturnValueIgnored") // does not fail, and ends with the loop
    private void again(ChannelHandlerContext context) {
        if (!serving.isShuttingDown()) {
            serving.schedule(
                    () -> context.executor().execute(() -> readUnlessPaused(context)),
                    PAUSE_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }

    private void readUnlessPaused(ChannelHandlerContext context) {
        if (next == null) {
            read(context);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        last = Failure.of(cause);
        LOG.error(
                "{}: cannot accept a connection, retrying in 1 s: {}",
                context.channel().localAddress(),
                last);
        if (next == null) {
            next = context.executor()
                    .schedule(
                            () -> {
                                next = null;
                                read(context);
                            },
                            PAUSE_AFTER_ERROR_MILLIS,
                            TimeUnit.MILLISECONDS);
        }
    }
}
