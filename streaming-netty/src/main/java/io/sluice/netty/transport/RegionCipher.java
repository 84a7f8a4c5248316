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
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * Encrypts regions by the engine of a connection, in buffers that it uses again and again: Netty's allocators do not
 * keep such long ones, and the kernel copies faster if they begin at a page. There are at most {@value #BUFFERS}, of
 * 152 KiB, and one of 132 KiB for what is read. Confined to the event loop of the connection, which closes it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the promise of a write is the future that it returns
final class RegionCipher implements Closeable {
    /** All of them together are {@link io.sluice.streaming.memory.SendingMemory}'s share of an encrypted connection. */
    static final int BUFFERS = 7;

    private static final int RECORD_BYTES = 16 << 10;
    /** More at once only evicts from the cache what the cipher is about to read. */
    private static final int RECORDS = 8;
    /** What a record is longer than its content, at most. */
    private static final int MAX_OVERHEAD_BYTES = 256;

    private final ChannelHandlerContext network;
    private final SSLEngine engine;
    private final Runnable freed;
    private final ByteBuf plain = allocate(RECORDS * RECORD_BYTES);
    private final ByteBuffer bytes = plain.nioBuffer(0, plain.capacity()); // of it
    /** The same bytes, those of each record: an engine that is given them one by one encrypts many in one call. */
    private final ByteBuffer[] records = new ByteBuffer[RECORDS];

    private final Deque<Encrypted> free = new ArrayDeque<>();
    private int allocated;
    private boolean isClosed;

    /** Room for encrypted records. {@code bytes} are those of the buffer: Netty would make such a view for each use. */
    record Encrypted(ByteBuf buffer, ByteBuffer bytes) {}

    private RegionCipher(ChannelHandlerContext network, SSLEngine engine, Runnable freed) {
        this.network = network;
        this.engine = engine;
        this.freed = freed;
        for (int i = 0; i < RECORDS; i++) {
            records[i] = plain.nioBuffer(i * RECORD_BYTES, RECORD_BYTES);
        }
    }

    /**
     * For a connection after its handshake.
     *
     * @param freed runs when the socket has accepted a buffer, so that it can be used again
     */
    static RegionCipher of(ChannelHandlerContext context, Runnable freed) {
        SslHandler handler = context.pipeline().get(SslHandler.class);
        // What is written to the context of the handler skips the handler.
        return new RegionCipher(context.pipeline().context(handler), handler.engine(), freed);
    }

    /** Whether a buffer is there for {@link #encrypt}. */
    boolean hasBuffer() {
        return !free.isEmpty() || allocated < BUFFERS;
    }

    /** Reads the next part of a region. */
    void read(EncryptedRegion region) throws IOException {
        region.read(bytes.clear());
        bytes.flip();
        for (int i = 0; i < RECORDS; i++) {
            int length = Math.max(0, Math.min(RECORD_BYTES, bytes.limit() - i * RECORD_BYTES));
            records[i].clear().limit(length);
        }
    }

    /**
     * Encrypts what {@link #read} has read, for {@link #write}.
     *
     * @throws ClosedChannelException if one end has closed the encrypted stream
     * @throws SSLException if the engine refuses; then the connection has lost records, and must end
     */
    Encrypted encrypt() throws IOException {
        Encrypted encrypted = takeBuffer();
        try {
            ByteBuffer into = encrypted.bytes().clear();
            int count = (bytes.limit() + RECORD_BYTES - 1) / RECORD_BYTES;
            while (count > 0 && records[count - 1].hasRemaining()) {
                requireProgress(engine.wrap(records, 0, count, into));
            }
            encrypted.buffer().setIndex(0, into.position());
            return encrypted;
        } catch (IOException | RuntimeException | Error e) {
            free.add(encrypted);
            throw e;
        }
    }

    /** A key update is a record without content; that it has ended is said once without a record. */
    static void requireProgress(SSLEngineResult result) throws IOException {
        boolean hasProgress = result.bytesConsumed() > 0
                || result.bytesProduced() > 0
                || result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.FINISHED;
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new ClosedChannelException();
        }
        if (result.getStatus() != SSLEngineResult.Status.OK || !hasProgress) {
            throw new SSLException("cannot encrypt: " + result);
        }
    }

    private Encrypted takeBuffer() {
        if (!free.isEmpty()) {
            return free.remove();
        }
        allocated++;
        int longest = engine.getSession().getPacketBufferSize(); // an engine wants room for that
        ByteBuf buffer = allocate(RECORDS * (RECORD_BYTES + MAX_OVERHEAD_BYTES) + longest);
        return new Encrypted(buffer, buffer.nioBuffer(0, buffer.capacity()));
    }

    /** An empty buffer that begins at a page, and is freed when it is released. */
    private static ByteBuf allocate(int lengthBytes) {
        ByteBuf roomy = Unpooled.directBuffer(lengthBytes + PageAligned.PAGE_BYTES);
        int intoPage = roomy.internalNioBuffer(0, 1).alignmentOffset(0, PageAligned.PAGE_BYTES);
        return roomy.slice(PageAligned.PAGE_BYTES - intoPage, lengthBytes).clear();
    }

    /** Writes what {@link #encrypt} has returned, and uses its buffer again when the socket has accepted it. */
    void write(Encrypted encrypted, ChannelPromise promise) {
        promise.addListener(written -> {
            if (isClosed) {
                encrypted.buffer().release();
            } else {
                free.add(encrypted);
                freed.run();
            }
        });
        network.writeAndFlush(encrypted.buffer().retain(), promise);
    }

    @Override
    public void close() {
        isClosed = true;
        plain.release();
        free.forEach(encrypted -> encrypted.buffer().release());
        free.clear();
    }
}
