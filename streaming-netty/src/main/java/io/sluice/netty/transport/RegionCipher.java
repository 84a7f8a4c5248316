package io.sluice.netty.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;
import io.sluice.sstable.encoding.PageAligned;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * Encrypts regions by the engine of a connection, in buffers that it uses again and again: Netty's allocators do not
 * keep such long ones, and the kernel copies faster if they begin at a page. There are as many as the connection has
 * bytes that the socket has not accepted. Confined to the event loop of the connection, which closes it.
 */
final class RegionCipher implements Closeable {
    private static final int RECORD_BYTES = 16 << 10;
    /** More at once only evicts from the cache what the cipher is about to read. */
    private static final int RECORDS = 8;
    /** What a record is longer than its content, at most. */
    private static final int MAX_OVERHEAD_BYTES = 256;

    private final ChannelHandlerContext network;
    private final SSLEngine engine;
    private final ByteBuf plain = allocate(RECORDS * RECORD_BYTES);
    private final ByteBuffer bytes = plain.nioBuffer(0, plain.capacity()); // of it
    private final Deque<ByteBuf> free = new ArrayDeque<>();
    private boolean isClosed;

    private RegionCipher(ChannelHandlerContext network, SSLEngine engine) {
        this.network = network;
        this.engine = engine;
    }

    /** For a connection after its handshake. */
    static RegionCipher of(ChannelHandlerContext context) {
        SslHandler handler = context.pipeline().get(SslHandler.class);
        // What is written to the context of the handler skips the handler.
        return new RegionCipher(context.pipeline().context(handler), handler.engine());
    }

    /** Reads and encrypts the next part of a region, for {@link #write}. */
    ByteBuf next(EncryptedRegion region) throws IOException {
        region.read(bytes.clear());
        int longest = engine.getSession().getPacketBufferSize(); // an engine wants room for that
        ByteBuf encrypted = free.isEmpty()
                ? allocate(RECORDS * (RECORD_BYTES + MAX_OVERHEAD_BYTES) + longest)
                : free.remove().clear();
        try {
            encrypt(bytes.flip(), encrypted);
            return encrypted;
        } catch (SSLException | RuntimeException | Error e) {
            encrypted.release();
            throw e;
        }
    }

    /** An empty buffer that begins at a page, and is freed when it is released. */
    private static ByteBuf allocate(int lengthBytes) {
        ByteBuf roomy = Unpooled.directBuffer(lengthBytes + PageAligned.PAGE_BYTES);
        int intoPage = roomy.internalNioBuffer(0, 1).alignmentOffset(0, PageAligned.PAGE_BYTES);
        return roomy.slice(PageAligned.PAGE_BYTES - intoPage, lengthBytes).clear();
    }

    private void encrypt(ByteBuffer content, ByteBuf encrypted) throws SSLException {
        ByteBuffer into = encrypted.internalNioBuffer(0, encrypted.capacity());
        int start = into.position();
        while (content.hasRemaining()) {
            SSLEngineResult result = engine.wrap(content, into);
            if (result.getStatus() != SSLEngineResult.Status.OK || result.bytesConsumed() == 0) {
                throw new SSLException("cannot encrypt a region: " + result);
            }
        }
        encrypted.writerIndex(into.position() - start);
    }

    /** Writes what {@link #next} has returned, and uses its buffer again when the socket has accepted it. */
    void write(ByteBuf encrypted, ChannelPromise promise) {
        promise.addListener(written -> {
            if (isClosed) {
                encrypted.release();
            } else {
                free.add(encrypted);
            }
        });
        network.writeAndFlush(encrypted.retain(), promise);
    }

    @Override
    public void close() {
        isClosed = true;
        plain.release();
        free.forEach(ByteBuf::release);
        free.clear();
    }
}
