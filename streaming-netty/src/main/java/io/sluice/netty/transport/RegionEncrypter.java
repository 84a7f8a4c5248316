package io.sluice.netty.transport;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts file regions, as fast as the connection accepts them, with the engine of the {@link SslHandler} before it,
 * but without its queues: these allocate for each record. What is written while a region is on its way waits until its
 * end, so that records leave in the order in which they were encrypted. Confined to one connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close is noticed as the end of the channel
final class RegionEncrypter extends ChannelDuplexHandler {
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private @Nullable RegionCipher cipher;
    private boolean isSending;
    private boolean isUnflushed; // whether something was passed on that has not been flushed

    /** A region, or what was written behind it. */
    private record Waiting(Object content, ChannelPromise promise) {}

    @Override
    public void write(ChannelHandlerContext context, Object content, ChannelPromise promise) {
        if (waiting.isEmpty() && !(content instanceof EncryptedRegion)) {
            isUnflushed = true;
            context.write(content, promise);
        } else {
            waiting.add(new Waiting(content, promise));
        }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        if (isUnflushed || waiting.isEmpty()) { // the handler of the engine writes a buffer at each flush
            isUnflushed = false;
            context.flush(); // what was written before a region is encrypted before it
        }
        send(context);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        send(context);
        context.fireChannelWritabilityChanged();
    }

    /** Sends what waits, until the connection accepts no more. */
    private void send(ChannelHandlerContext context) {
        if (isSending || waiting.isEmpty()) {
            return;
        }
        isSending = true; // a write may be reported, and answered by another, before it returns
        try {
            for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
                if (!(next.content() instanceof EncryptedRegion region)) {
                    waiting.remove();
                    context.writeAndFlush(next.content(), next.promise());
                } else if (!send(region, next.promise(), context)) {
                    return;
                } else if (next.equals(waiting.peek())) { // unless that has ended the connection
                    waiting.remove();
                }
            }
        } finally {
            isSending = false;
        }
    }

    /** Whether the region has ended; if not, the connection accepts no more now. */
    private boolean send(EncryptedRegion region, ChannelPromise promise, ChannelHandlerContext context) {
        RegionCipher used = cipher == null ? RegionCipher.of(context, () -> send(context)) : cipher;
        cipher = used;
        while (context.channel().isWritable() && used.hasBuffer()) {
            try {
                used.read(region);
            } catch (IOException e) {
                close(region, e);
                promise.tryFailure(e);
                return true;
            }
            RegionCipher.Encrypted encrypted;
            try {
                encrypted = used.encrypt();
            } catch (IOException | RuntimeException | Error e) {
                if (!(e instanceof ClosedChannelException)) {
                    context.fireExceptionCaught(e);
                }
                context.close(); // which fails all that waits: records that the peer expects are lost
                return false;
            }
            if (region.isAtEnd()) {
                used.write(encrypted, promise);
                return true;
            }
            used.write(encrypted, context.newPromise()); // a failure also ends the channel
        }
        return false;
    }

    private static void close(EncryptedRegion region, Throwable cause) {
        try {
            region.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        discard();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        discard();
        RegionCipher used = cipher;
        cipher = null;
        if (used != null) {
            used.close();
        }
    }

    private void discard() {
        for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
            ClosedChannelException closed = new ClosedChannelException();
            if (next.content() instanceof EncryptedRegion region) {
                close(region, closed);
            } else {
                ReferenceCountUtil.release(next.content());
            }
            next.promise().tryFailure(closed);
        }
    }
}
