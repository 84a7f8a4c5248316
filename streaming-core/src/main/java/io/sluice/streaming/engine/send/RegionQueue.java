package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.runtime.Loop;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.session.ConnectionLiveness;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.throttle.CombinedThrottle;
import io.sluice.streaming.transfer.SourceRegion;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * What waits to leave on one data connection. Extents leave in the order they came, each with its announcement in front
 * of it, back to back. They are cut into regions only when the limits let the next one go: as long as there is room
 * where there is no limit, short where there is one; so a limit that is set in the middle of an extent holds for the
 * rest of it. Confined to the loop.
 */
final class RegionQueue {
    /** More than any receiver asks for that reads what it gets. */
    private static final int MAX_UNSENT_EXTENTS = 20_000;

    /** Given to the socket ahead of what it takes: so much that it never waits, so little that limits count soon. */
    private static final long MAX_HANDED_BYTES = 16 << 20;

    /** What an extent that waits takes on the heap. */
    private static final int EXTENT_BYTES = 256;

    private final PeerChannel channel;
    private final Loop loop;
    private final PeerMemory memory;
    private final Consumer<Failure> onFailure;
    private final LongConsumer onSent;
    private final ConnectionLiveness liveness;
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private boolean pausing;
    private int unsentExtents;
    private long handedBytes;
    private boolean isOver;

    /** An extent of which a part has been cut off. */
    private static final class Waiting {
        final Extent extent;
        final CombinedThrottle limits;
        final TableBytes.Count counted;
        private final List<SourceRegion> pieces;
        private int piece;
        private long offsetInPiece;
        private long leftBytes;

        Waiting(Extent extent, List<SourceRegion> pieces, CombinedThrottle limits, TableBytes.Count counted) {
            this.extent = extent;
            this.counted = counted;
            this.pieces = pieces;
            this.limits = limits;
            this.leftBytes = extent.lengthBytes();
        }

        boolean isUncut() {
            return leftBytes == extent.lengthBytes();
        }

        boolean isCutUp() {
            return leftBytes == 0;
        }

        SourceRegion next(int longest) {
            while (pieces.get(piece).lengthBytes() == offsetInPiece) {
                piece++;
                offsetInPiece = 0;
            }
            SourceRegion whole = pieces.get(piece);
            long length = Math.min(longest, whole.lengthBytes() - offsetInPiece);
            SourceRegion next = new SourceRegion(whole.file(), whole.offset() + offsetInPiece, length);
            offsetInPiece += length;
            leftBytes -= length;
            return next;
        }
    }

    /**
     * Nothing waits yet.
     *
     * @param liveness of the connection, which begins now
     * @param memory for extents that wait
     * @param onFailure may be called from any thread
     * @param onSent is notified on the loop of bytes that have left
     */
    RegionQueue(
            PeerChannel channel,
            Loop loop,
            PeerMemory memory,
            Consumer<Failure> onFailure,
            LongConsumer onSent,
            ConnectionLiveness liveness) {
        this.channel = channel;
        this.loop = loop;
        this.memory = memory;
        this.onFailure = onFailure;
        this.onSent = onSent;
        this.liveness = liveness;
    }

    PeerChannel channel() {
        return channel;
    }

    /**
     * Sends an extent, which lies in {@code pieces}, as soon as all before it have left and {@code limits} let it.
     *
     * @param counted counts its bytes as they leave
     */
    void add(List<SourceRegion> pieces, Extent extent, CombinedThrottle limits, TableBytes.Count counted) {
        if (isOver) {
            return;
        }
        if (unsentExtents == MAX_UNSENT_EXTENTS) {
            refuse(ErrorCode.PROTOCOL, "more than " + MAX_UNSENT_EXTENTS + " extents are asked for and not read");
            return;
        }
        if (!memory.tryTake(EXTENT_BYTES)) {
            refuse(ErrorCode.LIMIT, memory.shortage(EXTENT_BYTES));
            return;
        }
        unsentExtents++;
        waiting.add(new Waiting(extent, pieces, limits, counted));
        drain();
    }

    /** The receiver has said something. */
    void received(long nowNanos) {
        liveness.received(nowNanos);
    }

    /**
     * Ends the connection if the receiver is silent; says that this end lives if nothing was sent for a while, and
     * nothing waits: a heartbeat could not overtake it. To be called at least once per heartbeat.
     */
    void look(long nowNanos) {
        boolean isFresh = liveness.wasFrozen(nowNanos);
        Optional<String> silence = liveness.silence(nowNanos);
        if (silence.isPresent()) {
            channel.fail(new StreamException(ErrorCode.TIMEOUT, silence.get()));
        } else if (isIdle() && (isFresh || liveness.isHeartbeatDue(nowNanos))) {
            liveness.sent(nowNanos);
            channel.send(new Message.KeepAlive(new Message.Doing("a fetch", 0, 0, 0, unsentExtents), 0));
        }
    }

    private boolean isIdle() {
        return waiting.isEmpty() && !pausing && handedBytes == 0;
    }

    private void refuse(ErrorCode code, String why) {
        onFailure.accept(new Failure(code, why));
        channel.close();
    }

    /** The connection is over: nothing more leaves. */
    void end() {
        isOver = true;
        waiting.clear();
        memory.release((long) unsentExtents * EXTENT_BYTES);
        unsentExtents = 0;
    }

    private void drain() {
        while (!pausing && !waiting.isEmpty() && handedBytes < MAX_HANDED_BYTES && channel.isOpen()) {
            Waiting next = waiting.element();
            if (next.isUncut()) {
                channel.send(new Message.Stream(next.extent));
            }
            SourceRegion region = next.next(next.limits.pieceBytes());
            if (next.isCutUp()) {
                waiting.remove();
            }
            handedBytes += region.lengthBytes();
            long pauseNanos = next.limits.take(region.lengthBytes(), loop.nanoTime());
            if (pauseNanos == 0) {
                send(region, next.isCutUp(), next.counted);
            } else {
                pausing = true;
                loop.after(pauseNanos, () -> guarded(() -> resume(region, next.isCutUp(), next.counted)));
            }
        }
    }

    /** Whatever {@code work} throws ends the session, and nothing else. */
    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            onFailure.accept(Failure.of(e));
            Failure.throwIfFatal(e);
        }
    }

    private void resume(SourceRegion paid, boolean isLast, TableBytes.Count counted) {
        pausing = false;
        if (isOver || !channel.isOpen()) {
            return; // its file is not pinned any more
        }
        send(paid, isLast, counted);
        drain();
    }

    private void send(SourceRegion region, boolean isLast, TableBytes.Count counted) {
        channel.send(region, why -> {
            if (why.isEmpty()) {
                counted.add(region.lengthBytes());
            }
            loop.execute(() -> guarded(() -> left(region.lengthBytes(), isLast, why.isEmpty())));
            if (why.isPresent() && channel.isOpen()) {
                onFailure.accept(new Failure(
                        ErrorCode.SOURCE_CHANGED,
                        region.file().getFileName() + " at offset " + region.offset() + ": "
                                + why.get().getMessage()));
            }
        });
    }

    private void left(long lengthBytes, boolean wasLast, boolean isSent) {
        handedBytes -= lengthBytes;
        liveness.sent(loop.nanoTime());
        if (wasLast && !isOver) {
            unsentExtents--;
            memory.release(EXTENT_BYTES);
        }
        if (isSent) {
            onSent.accept(lengthBytes);
        }
        drain();
    }
}
