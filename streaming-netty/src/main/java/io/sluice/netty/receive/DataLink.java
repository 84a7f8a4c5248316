package io.sluice.netty.receive;

import io.sluice.netty.transport.BlockingSocket;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.DataChannel;
import io.sluice.streaming.session.ConnectionLiveness;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.throttle.CombinedThrottle;
import io.sluice.streaming.throttle.DutyCycle;
import io.sluice.streaming.transfer.block.DataReceiver;
import io.sluice.streaming.transfer.block.ExtentStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving end of one data connection: a thread that requests extents and copies the received bytes from the
 * socket to the files, through one reused buffer. It computes the checksum in between, while the bytes are in the CPU
 * cache. It accepts only extents that were requested on this connection, in that order.
 *
 * <p>Blocking on purpose: no portable alternative uses less CPU per byte, and a stalled disk delays only the sender of
 * this connection. See docs/decisions/0004.
 *
 * <p>Thread-safe; {@link #run} is the body of the thread.
 */
final class DataLink implements DataChannel, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(DataLink.class);
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
    /** For TLS, hello and welcome together, however slowly the bytes arrive. */
    private static final Duration HANDSHAKE = Duration.ofSeconds(10);

    /** Timeout for reading what was received already, when no extent is outstanding. */
    private static final Duration GLANCE = Duration.ofMillis(1);
    /** A changed limit is noticed within this time. */
    private static final long LONGEST_STEP_NANOS = Duration.ofMillis(500).toNanos();

    private final Node peer;
    private final Message hello;
    private final DataLinks shared;
    private final DataReceiver receiver;

    private final BlockingQueue<List<Extent>> toFetch = new LinkedBlockingQueue<>();
    private volatile boolean closed;
    private volatile @Nullable BlockingSocket socket;

    /** Why this end closed the connection, if the peer was silent. */
    private volatile @Nullable String silence;

    private final ExtentStream extents;
    private final DutyCycle duty;

    /** Creates a link that starts with {@link #run}, as soon as {@code receiver} has a buffer for it. */
    DataLink(Node peer, Message hello, DataLinks shared, DataReceiver receiver) {
        this.peer = peer;
        this.hello = hello;
        this.shared = shared;
        this.receiver = receiver;
        this.extents = new ExtentStream(receiver);
        this.duty = new DutyCycle(receiver.dutyPercent());
    }

    @Override
    public void fetch(List<Extent> wanted) {
        toFetch.add(wanted);
    }

    @Override
    public long arrivingBytes() {
        return extents.arrivingBytes();
    }

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
            LOG.debug("closing a data connection to {}: {}", peer, e.toString());
        }
    }

    @Override
    public void run() {
        try {
            ByteBuffer buffer = receiver.takeBuffer();
            try {
                connect(buffer);
            } finally {
                receiver.releaseBuffer(buffer);
            }
        } catch (ExtentStream.FinalException e) {
            receiver.failed(Objects.requireNonNull(e.getCause()));
        } catch (IOException | StreamException e) {
            if (!closed) {
                String why = silence;
                receiver.lost(why == null ? String.valueOf(e.getMessage()) : why);
            }
        } catch (RuntimeException | Error e) {
            receiver.failed(e);
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
            ConnectionLiveness liveness = new ConnectionLiveness(shared.deadlines(), peer.name(), System.nanoTime());
            DataChannelMessages messages = new DataChannelMessages(stream, liveness);
            messages.send(hello);
            requireWelcome(messages.read());
            open.withoutLimit();
            Future<?> livenessCheck = shared.scheduleHeartbeat(() -> checkLiveness(liveness, messages, open));
            try {
                receiver.opened();
                receive(new Line(open, stream, messages, liveness), buffer);
            } finally {
                livenessCheck.cancel(false);
                extents.close(); // possibly in the middle of an extent
            }
        }
    }

    /** What the thread of a connection uses. */
    private record Line(
            BlockingSocket socket, ByteChannel stream, DataChannelMessages messages, ConnectionLiveness liveness) {
        /** Reads bytes that have already arrived; returns 0 if there are none. */
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

    /** Ends the connection if the peer is silent; sends a heartbeat if nothing else was sent for a while. */
    private void checkLiveness(ConnectionLiveness liveness, DataChannelMessages messages, BlockingSocket open) {
        long now = System.nanoTime();
        boolean isFresh = liveness.wasFrozen(now);
        Optional<String> why = liveness.silence(now);
        if (why.isPresent()) {
            silence = why.get();
            hangUp(open);
        } else if (isFresh || liveness.isHeartbeatDue(now)) {
            shared.execute(() -> sendHeartbeat(messages));
        }
    }

    private void sendHeartbeat(DataChannelMessages messages) {
        try {
            messages.sendIfIdle(new Message.KeepAlive(
                    new Message.Doing("extents", 0, 0, 0, extents.outstanding()), extents.arrivingBytes()));
        } catch (IOException e) {
            LOG.debug("data connection to {}: no heartbeat: {}", peer, e.toString());
        }
    }

    private void requireWelcome(Message answer) {
        if (answer instanceof Message.SessionFailed refusal) {
            throw new StreamException(refusal.code(), "peer refused: " + refusal.code() + ": " + refusal.why());
        }
        if (!(answer instanceof Message.Welcome welcome) || !welcome.node().equals(peer.id())) {
            throw new StreamException(ErrorCode.WRONG_PEER, peer.address() + " answered, but it is not " + peer);
        }
    }

    private void receive(Line line, ByteBuffer buffer) throws IOException {
        buffer.clear().flip(); // nothing in it yet
        CombinedThrottle.Turn turn = receiver.limits().turn();
        while (!closed) {
            askForMore(line.messages());
            buffer.compact();
            buffer.limit((int) Math.min(
                    buffer.capacity(),
                    buffer.position() + (long) receiver.limits().pieceBytes()));
            // Sends a heartbeat although there is nothing else to send.
            int count = extents.isIdle() ? line.glance(buffer) : line.stream().read(buffer);
            if (count < 0) {
                throw new EOFException("the peer closed the connection");
            }
            buffer.flip();
            if (count > 0) {
                line.liveness().notReading();
                shared.traffic().read();
                consume(buffer, count, turn);
                line.liveness().received(System.nanoTime());
            }
        }
    }

    /** Consumes {@code buffer}, whose last {@code count} bytes are new, piece by piece as the limits permit it. */
    private void consume(ByteBuffer buffer, int count, CombinedThrottle.Turn turn) throws IOException {
        int end = buffer.limit();
        int passed = end - count;
        while (passed < end && !closed) {
            passed += take(turn, end - passed);
            buffer.limit(passed);
            long began = System.nanoTime(); // after the read, which may have waited for the peer
            extents.consume(buffer);
            rest(System.nanoTime() - began);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // not relied on: nothing waits for it
    private void rest(long workedNanos) throws InterruptedIOException {
        long rest = duty.restNanos(workedNanos);
        if (rest > 0) {
            pause(rest);
        } else if (!duty.isFull()) {
            Thread.yield(); // who waits for this processor would wait until this thread's slice ends, for milliseconds
        }
    }

    /**
     * Takes a piece of {@code bytes}, and waits; a limit that is set meanwhile changes the pause. Returns the length of
     * what has passed, 0 if this end closes the connection.
     */
    private int take(CombinedThrottle.Turn turn, int bytes) throws InterruptedIOException {
        // The bytes may have been read when there was no limit, or a higher one.
        long left = turn.take(Math.min(bytes, receiver.limits().pieceBytes()), System.nanoTime());
        try {
            while (left > 0 && !closed) {
                pause(Math.min(left, LONGEST_STEP_NANOS));
                left = turn.pauseNanos(System.nanoTime());
            }
        } finally {
            if (left > 0) {
                turn.release();
            }
        }
        return (int) turn.bytes();
    }

    /** Meanwhile unread bytes fill the kernel's buffers, and then the sender waits. */
    private void pause(long nanos) throws InterruptedIOException {
        try {
            Pause.ofNanos(nanos, () -> closed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Sends all queued fetches; waits a while for one if no extent is outstanding. */
    private void askForMore(DataChannelMessages messages) throws IOException {
        try {
            long whileNanos = shared.deadlines().heartbeat().toNanos() / 2;
            List<Extent> next = extents.isIdle() ? toFetch.poll(whileNanos, TimeUnit.NANOSECONDS) : toFetch.poll();
            while (next != null) {
                if (!next.isEmpty()) {
                    extents.fetching(next);
                    messages.send(new Message.Fetch(next));
                }
                next = toFetch.poll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
