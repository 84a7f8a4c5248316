package io.sluice.netty.receive;

import io.sluice.netty.transport.BlockingSocket;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.Pulse;
import io.sluice.streaming.throttle.Chain;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving end of one data connection: a thread that asks for extents and takes what comes from the socket to the
 * files, through one reused buffer. The checksum is taken between the two, while the bytes are in the cache. Only
 * extents that were fetched on this connection, in that order, are accepted.
 *
 * <p>Blocking on purpose: of all portable ways this one costs the least CPU for a byte, and a disk that stalls holds up
 * nobody but this connection's sender. See docs/decisions/0004.
 *
 * <p>Thread-safe; {@link #run} is the thread.
 */
final class DataLink implements Runnable, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataLink.class);
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
    /** For TLS, hello and welcome together, however the bytes come. */
    private static final Duration HANDSHAKE = Duration.ofSeconds(10);

    /** So soon an end is noticed. */
    private static final long LONGEST_PAUSE_NANOS = 50_000_000;

    /** A look at what has come, when nothing was asked for. */
    private static final Duration GLANCE = Duration.ofMillis(1);

    private final int number;
    private final Node peer;
    private final Message hello;
    private final DataLinks shared;
    private final Buffers.Seat memory;
    private final Chain limits;
    private final StagedFiles files;
    private final Sink sink;

    private final BlockingQueue<List<Extent>> toFetch = new LinkedBlockingQueue<>();
    private volatile boolean closed;
    private volatile @Nullable BlockingSocket socket;

    /** What of the extent that is just arriving lies in its file; written by the thread alone. */
    private volatile long landingBytes;

    /** Extents that were asked for and are not here; written by the thread alone. */
    private volatile int ahead;

    /** Why this end has closed the connection, if it has heard nothing. */
    private volatile @Nullable String silence;

    // Of the thread alone.
    private final Queue<Extent> expected = new ArrayDeque<>();
    private final CRC32 crc = new CRC32();
    private @Nullable Extent current;
    private @Nullable LandingFile file;
    private long position;

    /** Who hears what becomes of a connection. Called by its thread. */
    interface Sink {
        void opened(int connection);

        void arrived(int connection, Extent extent, long crc32);

        /** The connection is over, and not because it was closed at this end. */
        void lost(int connection, String reason);

        /** What arrived could not be kept. */
        void failed(Throwable cause);
    }

    /** Begins with {@link #run}: as soon as {@code memory} has a buffer for it. */
    DataLink(
            int number,
            Node peer,
            Message hello,
            DataLinks shared,
            Buffers.Seat memory,
            Chain limits,
            StagedFiles files,
            Sink sink) {
        this.number = number;
        this.peer = peer;
        this.hello = hello;
        this.shared = shared;
        this.memory = memory;
        this.limits = limits;
        this.files = files;
        this.sink = sink;
    }

    /** Asks the peer for these, in this order, after all that was asked for before. */
    void fetch(List<Extent> extents) {
        toFetch.add(extents);
    }

    /** Bytes of an extent that has not arrived whole: only then it counts, but it takes seconds on a slow way. */
    long landingBytes() {
        return landingBytes;
    }

    /** Ends the connection at once. */
    @Override
    public void close() {
        closed = true;
        toFetch.add(List.of()); // wakes the thread if it waits for work
        BlockingSocket open = socket;
        if (open != null) {
            hangUp(open);
        }
    }

    private void hangUp(BlockingSocket open) {
        try {
            open.close();
        } catch (IOException e) {
            LOG.debug("closing data connection {} to {}: {}", number, peer, e.toString());
        }
    }

    @Override
    public void run() {
        try {
            ByteBuffer buffer = memory.take();
            try {
                connect(buffer);
            } finally {
                memory.give(buffer);
            }
        } catch (FinalException e) {
            sink.failed(e.getCause());
        } catch (IOException | StreamException e) {
            if (!closed) {
                String why = silence;
                sink.lost(number, why == null ? String.valueOf(e.getMessage()) : why);
            }
        } catch (RuntimeException | Error e) {
            sink.failed(e);
            Failure.throwIfFatal(e);
        }
    }

    private void connect(ByteBuffer buffer) throws IOException {
        try (BlockingSocket open = BlockingSocket.open()) {
            socket = open;
            if (!closed) {
                open.connect(
                        new InetSocketAddress(
                                peer.address().host(), peer.address().port()),
                        shared.tuning(),
                        CONNECT_TIMEOUT_MILLIS);
                converse(open, buffer);
            }
        }
    }

    private void converse(BlockingSocket open, ByteBuffer buffer) throws IOException {
        open.within(HANDSHAKE);
        try (ByteChannel stream = shared.secured(open, peer)) {
            Pulse pulse = new Pulse(shared.deadlines(), peer.name(), System.nanoTime());
            Words words = new Words(stream, pulse);
            words.say(hello);
            requireWelcome(words.read());
            open.withoutLimit();
            Future<?> watching = shared.watch(() -> look(pulse, words, open));
            try {
                sink.opened(number);
                receive(new Line(open, stream, words, pulse), buffer);
            } finally {
                watching.cancel(false);
                leaveFile(); // in the middle of an extent
            }
        }
    }

    /** What the thread of a connection works with. */
    private record Line(BlockingSocket socket, ByteChannel stream, Words words, Pulse pulse) {
        /** Reads what has come, without waiting for more; 0 if nothing has. */
        int glance(ByteBuffer buffer) throws IOException {
            socket.within(GLANCE);
            try {
                return stream.read(buffer);
            } catch (SocketTimeoutException nothing) {
                return 0;
            } finally {
                socket.withoutLimit();
            }
        }
    }

    /** Ends the connection if the peer is silent; has a sign of life given if nothing was said for a while. */
    private void look(Pulse pulse, Words words, BlockingSocket open) {
        long now = System.nanoTime();
        boolean isFresh = pulse.wasFrozen(now);
        Optional<String> why = pulse.silence(now);
        if (why.isPresent()) {
            silence = why.get();
            hangUp(open);
        } else if (isFresh || pulse.isHeartbeatDue(now)) {
            shared.speak(() -> giveSign(words));
        }
    }

    private void giveSign(Words words) {
        try {
            words.sayIfQuiet(new Message.KeepAlive(new Message.Doing("extents", 0, 0, 0, ahead), landingBytes));
        } catch (IOException e) {
            LOG.debug("data connection {} to {}: no sign of life: {}", number, peer, e.toString());
        }
    }

    private void requireWelcome(Message answer) {
        if (answer instanceof Message.SessionFailed refusal) {
            throw new StreamException(refusal.code(), "it refused: " + refusal.reason());
        }
        if (!(answer instanceof Message.Welcome welcome) || !welcome.node().equals(peer.id())) {
            throw new StreamException(ErrorCode.WRONG_PEER, peer.address() + " answered, but is not " + peer);
        }
    }

    private void receive(Line line, ByteBuffer buffer) throws IOException {
        buffer.clear().flip(); // nothing in it yet
        while (!closed) {
            askForMore(line.words());
            buffer.compact();
            buffer.limit((int) Math.min(buffer.capacity(), buffer.position() + (long) limits.pieceBytes()));
            // Who has nothing to send says that it lives all the same.
            int count = isIdle() ? line.glance(buffer) : line.stream().read(buffer);
            if (count < 0) {
                throw new EOFException("the peer closed the connection");
            }
            buffer.flip();
            if (count > 0) {
                line.pulse().busy();
                shared.traffic().read();
                pause(limits.take(count, System.nanoTime()));
                consume(buffer);
                line.pulse().listening(System.nanoTime());
            }
        }
    }

    /** What is not read meanwhile fills the buffers of the kernel, and then the sender waits. */
    private void pause(long nanos) throws InterruptedIOException {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !closed; left = end - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.sleep(Math.min(left, LONGEST_PAUSE_NANOS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        }
    }

    /** Sends all fetches that wait; waits a while for one if nothing is on its way. */
    private void askForMore(Words words) throws IOException {
        try {
            long whileNanos = shared.deadlines().heartbeat().toNanos() / 2;
            List<Extent> next = isIdle() ? toFetch.poll(whileNanos, TimeUnit.NANOSECONDS) : toFetch.poll();
            while (next != null) {
                if (!next.isEmpty()) {
                    expected.addAll(next);
                    ahead = expected.size();
                    words.say(new Message.Fetch(next));
                }
                next = toFetch.poll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Whether all that was asked for has arrived. */
    private boolean isIdle() {
        return expected.isEmpty() && current == null;
    }

    /** Takes as much from {@code buffer} as makes sense; the beginning of a message stays in it. */
    private void consume(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            Extent extent = current;
            if (extent != null) {
                land(extent, buffer);
            } else if (!begin(buffer)) {
                return;
            }
        }
    }

    /** Reads the announcement of an extent; false if not all of it is there yet. */
    private boolean begin(ByteBuffer buffer) throws IOException {
        try {
            return announce(buffer);
        } catch (StreamException e) {
            if (e.code() == ErrorCode.PROTOCOL || e.code() == ErrorCode.WRONG_PEER) {
                throw new FinalException(e);
            }
            throw e;
        }
    }

    private boolean announce(ByteBuffer buffer) throws IOException {
        if (buffer.remaining() < MessageCodec.HEADER_LENGTH_BYTES) {
            return false;
        }
        int length = Words.frameLength(buffer.slice(buffer.position(), MessageCodec.HEADER_LENGTH_BYTES));
        if (buffer.remaining() < length) {
            return false;
        }
        Message message = MessageCodec.decode(buffer.slice(buffer.position(), length));
        buffer.position(buffer.position() + length);
        if (message instanceof Message.SessionFailed failed) {
            throw new IOException("it ended: " + new Failure(failed.code(), failed.reason()));
        }
        if (message instanceof Message.KeepAlive) {
            return true;
        }
        if (!(message instanceof Message.Stream stream)) {
            throw new StreamException(ErrorCode.PROTOCOL, message.getClass().getSimpleName() + " on a data connection");
        }
        Extent extent = stream.extent();
        if (!extent.equals(expected.poll())) {
            throw new StreamException(ErrorCode.PROTOCOL, extent + " was not fetched, or not in this order");
        }
        try {
            file = files.enter(extent);
        } catch (IOException | StreamException e) {
            throw new FinalException(e);
        }
        ahead = expected.size();
        current = extent;
        position = extent.offset();
        crc.reset();
        return true;
    }

    private void land(Extent extent, ByteBuffer buffer) throws FinalException {
        int from = buffer.position();
        int end = buffer.limit();
        int length = (int) Math.min(buffer.remaining(), extent.end() - position);
        buffer.limit(from + length);
        crc.update(buffer);
        buffer.position(from);
        try {
            Objects.requireNonNull(file).write(buffer, position);
        } catch (IOException e) {
            throw new FinalException(new IOException(
                    files.nameOf(extent) + " at offset " + position + ": cannot be written: " + e.getMessage(), e));
        }
        shared.traffic().received(length);
        buffer.limit(end);
        position += length;
        landingBytes = position == extent.end() ? 0 : position - extent.offset();
        if (position == extent.end()) {
            current = null;
            leaveFile();
            sink.arrived(number, extent, crc.getValue());
        }
    }

    private void leaveFile() {
        LandingFile left = file;
        if (left != null) {
            file = null;
            left.leave();
        }
    }

    /** The disk's fault, or the peer's, not the connection's: another one would not help. */
    private static final class FinalException extends IOException {
        private static final long serialVersionUID = 1L;

        FinalException(Exception cause) {
            super(cause);
        }

        @Override
        public synchronized Throwable getCause() {
            return Objects.requireNonNull(super.getCause());
        }
    }
}
