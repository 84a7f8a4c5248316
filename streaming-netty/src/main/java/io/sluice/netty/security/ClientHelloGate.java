package io.sluice.netty.security;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslClientHelloHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.function.Supplier;

/**
 * The first handler of a connection that a peer opens: waits for a whole ClientHello of at most 16 KiB, and only then
 * creates the TLS handler, which needs native memory. Bytes that are not TLS, and a longer hello, end the connection.
 * Not shareable.
 */
public final class ClientHelloGate extends SslClientHelloHandler<Boolean> {
    /** The event for the handlers behind it in the pipeline. */
    public enum Passed {
        /** A whole ClientHello was received. */
        CLIENT_HELLO
    }

    private static final int HANDSHAKE_RECORD = 22;
    private static final int MAX_CLIENT_HELLO_BYTES = 16 << 10;

    private final Supplier<SslHandler> encryption;

    /** @param encryption creates the handler that continues the handshake */
    ClientHelloGate(Supplier<SslHandler> encryption) {
        super(MAX_CLIENT_HELLO_BYTES);
        this.encryption = encryption;
    }

    /** Checks the first byte: Netty would put all bytes that are not TLS into the message, in hexadecimal. */
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (in.isReadable() && in.getByte(in.readerIndex()) != HANDSHAKE_RECORD) {
            int first = in.getUnsignedByte(in.readerIndex());
            in.skipBytes(in.readableBytes());
            throw new NotSslRecordException("first byte " + first + " (expected: " + HANDSHAKE_RECORD + ")");
        }
        super.decode(context, in, out);
    }

    @Override
    protected Future<Boolean> lookup(ChannelHandlerContext context, ByteBuf clientHello) {
        return context.executor().newSucceededFuture(true);
    }

    @Override
    protected void onLookupComplete(ChannelHandlerContext context, Future<Boolean> future) {
        context.fireUserEventTriggered(Passed.CLIENT_HELLO);
        context.pipeline().replace(this, null, encryption.get());
    }
}
