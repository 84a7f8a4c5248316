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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.IntPredicate;

/**
 * The extents that wait to be sent on one data connection. They are sent in order, back to back, each after its
 * announcement. The queue cuts the next region only when the throttles permit it: without a limit as long as there is
 * room, with a limit short, so that a limit set in the middle of an extent applies to the rest of it. Confined to the
 * loop.
 */
final class RegionQueue {
    /** More than any receiver requests that reads what it receives. */
    private static final int MAX_UNSENT_EXTENTS = 20_000;

    /**
     * Bytes handed to the socket in advance: enough that it never waits, and few enough that limits take effect soon.
     */
    private static final long MAX_HANDED_BYTES = 16 << 20;
    /** A changed limit is noticed within this time. */
    private static final long LONGEST_STEP_NANOS = 500_000_000L;

    /** Heap memory of a waiting extent. */
    private static final int EXTENT_BYTES = 256;

    private final PeerChannel channel;
    private final Loop loop;
    private final PeerMemory memory;
    private final Session session;
    private final ConnectionLiveness liveness;
    private final Queue<QueuedExtent> waiting = new ArrayDeque<>();
    /** Whether the next region waits until the throttles permit it. */
    private boolean isPausing;
    /** By offer. */
    private final Map<Integer, Integer> unsent = new HashMap<>();

    private int unsentExtents;
    private long handedBytes;
    private boolean isOver;

    /** The session of the connection. */
    interface Session {
        /** It cannot go on. From any thread. */
        void failed(Failure why);

        /** A file of an offer could not be read. From any thread. */
        void unreadable(int offer, Failure why);

        /** Bytes were sent. On the loop. */
        void sent(long bytes);
    }

    /** An extent of which regions have been cut off. */
    private static final class QueuedExtent {
        final Extent extent;
        final CombinedThrottle limits;
        final CombinedThrottle.Turn turn;
        final TableBytes.Count counted;
        private final List<SourceRegion> pieces;
        private int piece;
        private long offsetInPiece;
        private long leftBytes;

        QueuedExtent(Extent extent, List<SourceRegion> pieces, CombinedThrottle limits, TableBytes.Count counted) {
            this.extent = extent;
            this.counted = counted;
            this.pieces = pieces;
            this.limits = limits;
            this.turn = limits.turn();
            this.leftBytes = extent.lengthBytes();
        }

        boolean isUncut() {
            return leftBytes == extent.lengthBytes();
        }

        boolean isCutUp() {
            return leftBytes == 0;
        }

        /** The length of the next region, as the limits of now permit it. */
        long nextBytes() {
            while (pieces.get(piece).lengthBytes() == offsetInPiece) {
                piece++;
                offsetInPiece = 0;
            }
            return Math.min(limits.pieceBytes(), pieces.get(piece).lengthBytes() - offsetInPiece);
        }

        /** Cuts the next region off, at most {@link #nextBytes} long. */
        SourceRegion cut(long length) {
            SourceRegion whole = pieces.get(piece);
            SourceRegion next = new SourceRegion(whole.file(), whole.offset() + offsetInPiece, length);
            offsetInPiece += length;
            leftBytes -= length;
            return next;
        }
    }

    /**
     * Starts empty.
     *
     * @param liveness of the connection; begins now
     * @param memory for waiting extents
     */
    RegionQueue(PeerChannel channel, Loop loop, PeerMemory memory, Session session, ConnectionLiveness liveness) {
        this.channel = channel;
        this.loop = loop;
        this.memory = memory;
        this.session = session;
        this.liveness = liveness;
    }

    PeerChannel channel() {
        return channel;
    }

    /**
     * Sends an extent, which consists of {@code pieces}, after all previous ones and as {@code limits} permit.
     *
     * @param counted counts its sent bytes
     */
    void add(List<SourceRegion> pieces, Extent extent, CombinedThrottle limits, TableBytes.Count counted) {
        if (isOver) {
            return;
        }
        if (unsentExtents == MAX_UNSENT_EXTENTS) {
            refuse(ErrorCode.PROTOCOL, "more than " + MAX_UNSENT_EXTENTS + " extents are requested and not read");
            return;
        }
        if (!memory.tryTake(EXTENT_BYTES)) {
            refuse(ErrorCode.LIMIT, memory.shortage(EXTENT_BYTES));
            return;
        }
        unsentExtents++;
        unsent.merge(extent.offer(), 1, Integer::sum);
        waiting.add(new QueuedExtent(extent, pieces, limits, counted));
        drain();
    }

    /** Whether it has still to send something of an offer: then its files are needed. */
    boolean sends(int offer) {
        return unsent.containsKey(offer);
    }

    /**
     * The receiver does not need some offers any more, and had requested all of them again if a connection was lost:
     * one that has not sent all of them yet is lost, and this end does not know. It ends, because files may be removed.
     */
    void release(IntPredicate offers) {
        boolean isLost = waiting.stream().anyMatch(queued -> offers.test(queued.extent.offer()));
        if (isLost) {
            lose();
        }
    }

    /** Ends a connection that the receiver has lost, and this end has not. */
    void lose() {
        end();
        channel.fail(new StreamException(
                ErrorCode.PEER_LOST, "the receiver has lost this connection, and all that it was to send"));
    }

    /** A message of the receiver has arrived. */
    void received(long nowNanos) {
        liveness.received(nowNanos);
    }

    /**
     * Ends the connection if the receiver is silent; sends a heartbeat if nothing was sent for a while and nothing is
     * queued, because a heartbeat cannot overtake an extent. To be called at least once per heartbeat period.
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
        return waiting.isEmpty() && handedBytes == 0;
    }

    private void refuse(ErrorCode code, String why) {
        session.failed(new Failure(code, why));
        channel.close();
    }

    /** The connection is over: nothing more is sent. */
    void end() {
        if (isOver) {
            return;
        }
        isOver = true;
        if (isPausing) {
            waiting.element().turn.release();
        }
        waiting.clear();
        memory.release((long) unsentExtents * EXTENT_BYTES);
        unsentExtents = 0;
        unsent.clear();
    }

    private void drain() {
        while (!isPausing && !waiting.isEmpty() && handedBytes < MAX_HANDED_BYTES && channel.isOpen()) {
            QueuedExtent next = waiting.element();
            if (next.isUncut()) {
                channel.send(new Message.Stream(next.extent));
            }
            long pauseNanos = next.turn.take(next.nextBytes(), loop.nanoTime());
            if (pauseNanos == 0) {
                send(next);
            } else {
                isPausing = true;
                pause(next, pauseNanos);
            }
        }
    }

    /** Waits in steps: a limit that is set meanwhile changes the pause, and the length of the region. */
    private void pause(QueuedExtent of, long nanos) {
        loop.after(
                Math.min(nanos, LONGEST_STEP_NANOS),
                () -> guarded(() -> {
                    long left = isOver ? 0 : of.turn.pauseNanos(loop.nanoTime());
                    if (left > 0) {
                        pause(of, left);
                    } else {
                        resume(of);
                    }
                }));
    }

    /** Runs {@code work}; its exception ends this session only. */
    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            session.failed(Failure.of(e));
            Failure.throwIfFatal(e);
        }
    }

    private void resume(QueuedExtent of) {
        isPausing = false;
        if (isOver || !channel.isOpen()) {
            of.turn.release();
            return; // its file is no longer pinned
        }
        send(of);
        drain();
    }

    private void send(QueuedExtent of) {
        SourceRegion region = of.cut(of.turn.bytes());
        boolean isLast = of.isCutUp();
        if (isLast) {
            waiting.poll();
        }
        handedBytes += region.lengthBytes();
        channel.send(region, why -> {
            if (why.isEmpty()) {
                of.counted.add(region.lengthBytes());
            }
            loop.execute(() -> guarded(() -> left(region, of.extent, isLast, why.isEmpty())));
            if (why.isPresent() && channel.isOpen()) {
                session.unreadable(
                        of.extent.offer(),
                        new Failure(
                                ErrorCode.SOURCE_CHANGED,
                                region.file().getFileName() + " at offset " + region.offset() + ": "
                                        + why.get().getMessage()));
            }
        });
    }

    private void left(SourceRegion region, Extent of, boolean wasLast, boolean isSent) {
        handedBytes -= region.lengthBytes();
        liveness.sent(loop.nanoTime());
        if (wasLast && !isOver) {
            unsentExtents--;
            unsent.computeIfPresent(of.offer(), (offer, extents) -> extents == 1 ? null : extents - 1);
            memory.release(EXTENT_BYTES);
        }
        if (isSent) {
            session.sent(region.lengthBytes());
        }
        drain();
    }
}
