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
 * Accepts connections in small batches, each when those before it are served and have been read from: so a flood does
 * not push out those whose hello is already here. Says why one could not be accepted, and then waits a second: a
 * process without file descriptors neither spins nor floods its log, and connections that are open go on.
 *
 * <p>First in the pipeline of a listener that does not read by itself. Confined to its event loop.
 */
final class Accepting extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Accepting.class);

    private static final int BATCH = 16;

    /** With a batch in each: 16,000 connections a second at most. */
    private static final long PAUSE_MILLIS = 1;

    private static final long PAUSE_AFTER_ERROR_MILLIS = 1_000;

    private final EventLoop serving;
    private @Nullable Future<?> next;

    /** One is made ahead: without a descriptor the classes that describe an error could not be loaded any more. */
    private Failure last = Failure.of(new IOException("none so far"));

    /** @param serving serves what is accepted */
    Accepting(EventLoop serving) {
        this.serving = serving;
    }

    /**
     * Netty's own judgement whether more connections wait is that of a stream of bytes: on epoll it would accept a
     * single one at a time.
     */
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

    /** One batch: where reading is not automatic, Netty accepts a single connection at a time, too. */
    private static void read(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(true);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(false);
        serving.execute(() -> again(context)); // behind the connections that were just accepted
        context.fireChannelReadComplete();
    }

    /** After a round of the loop in which they can be read from. */
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
