package io.sluice.simulation.cassandra;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * One direction of a connection: bytes on their way, in pieces of any length, each after a delay. Not thread-safe: for
 * threads that take turns.
 */
final class Flow {
    private static final int WINDOW_BYTES = 1 << 16;

    private final TurnTaking turns;
    private final SplittableRandom random;
    private final Receiver receiver;
    private final Deque<byte[]> onTheWay = new ArrayDeque<>();
    private final Transcript transcript;
    private WireFaults faults;
    private int waitingBytes;
    private long deliveredBytes;
    private boolean isScheduled;
    private boolean isFinished;
    private boolean isBroken;
    private boolean isClosed;
    private boolean isUnacknowledged;

    /** The end that receives. */
    interface Receiver {
        /** Bytes arrive. */
        void arrived(byte[] bytes);

        /** No more bytes will arrive. */
        void ended();

        /** Both ends lose the connection. */
        void cut();

        /** What is sent disappears. */
        void lost();

        /** The kernel of the sender ends the connection: what was sent is not acknowledged for too long. */
        void unacknowledged();

        /** Bytes that have arrived and were not read. */
        int unreadBytes();
    }

    Flow(TurnTaking turns, SplittableRandom random, WireFaults faults, Transcript transcript, Receiver receiver) {
        this.turns = turns;
        this.random = random;
        this.faults = faults;
        this.transcript = transcript;
        this.receiver = receiver;
    }

    Transcript transcript() {
        return transcript;
    }

    /** Bytes that have reached the other end. */
    long deliveredBytes() {
        return deliveredBytes;
    }

    /** Whether the receiver may have got anything but what the driver of the sender said. */
    boolean isFalse() {
        return faults.flippedAt() < deliveredBytes || transcript.hasLied();
    }

    /** Whether what arrived does not show what was sent: a bit changed, or no message was sent. */
    boolean isUnreadable() {
        return faults.flippedAt() < deliveredBytes || transcript.hasGarbage();
    }

    /** No further fault happens; what was lost stays lost. */
    void heal() {
        faults = new WireFaults(
                WireFaults.NEVER,
                faults.lostAt() <= deliveredBytes ? faults.lostAt() : WireFaults.NEVER,
                faults.flippedAt() < deliveredBytes ? faults.flippedAt() : WireFaults.NEVER,
                WireFaults.NEVER,
                0,
                false);
    }

    /** Sends what the sender wrote at once; waits while the window is full. */
    void write(byte[] written, long timeoutNanos) throws IOException {
        for (byte[] bytes : transcript.sent(written)) {
            for (int at = 0; at < bytes.length; ) {
                awaitRoom(timeoutNanos);
                int count = Math.min(bytes.length - at, WINDOW_BYTES - filledBytes());
                onTheWay.add(Arrays.copyOfRange(bytes, at, at + count));
                waitingBytes += count;
                at += count;
                schedule();
            }
        }
    }

    private int filledBytes() {
        return waitingBytes + receiver.unreadBytes();
    }

    private void awaitRoom(long timeoutNanos) throws IOException {
        BooleanSupplier canGoOn = () -> isClosed || isBroken || filledBytes() < WINDOW_BYTES;
        try {
            boolean isReady = canGoOn.getAsBoolean() || turns.await(canGoOn, timeoutNanos);
            if (!isReady) {
                throw new IOException("the other end reads nothing");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (isClosed) {
            throw new ClosedChannelException();
        }
        if (isBroken) {
            throw new IOException("connection reset");
        }
    }

    /** The sender will send no more. */
    void finish() {
        isFinished = true;
        isClosed = true;
        schedule();
    }

    /** From now on what is sent disappears, while the connection looks alive. */
    void lose() {
        faults = new WireFaults(WireFaults.NEVER, deliveredBytes, faults.flippedAt(), WireFaults.NEVER, 0, false);
    }

    /** The connection is lost: nothing arrives any more. */
    void breakOff() {
        isBroken = true;
        onTheWay.clear();
        waitingBytes = 0;
    }

    private void schedule() {
        if (isScheduled || isBroken || (onTheWay.isEmpty() && !isFinished)) {
            return;
        }
        isScheduled = true;
        long delay = 1 + random.nextLong(TurnTaking.MILLISECOND * (faults.isSlow() ? 1_000 : 1));
        if (deliveredBytes >= faults.stalledAt()) {
            delay = faults.stallSeconds() * 1_000L * TurnTaking.MILLISECOND;
            faults = new WireFaults(
                    faults.cutAt(), faults.lostAt(), faults.flippedAt(), WireFaults.NEVER, 0, faults.isSlow());
        }
        turns.after(delay, this::deliver);
    }

    private void deliver() {
        isScheduled = false;
        if (isBroken) {
            return;
        }
        if (deliveredBytes >= faults.cutAt()) {
            receiver.cut();
            return;
        }
        if (deliveredBytes >= faults.lostAt()) {
            receiver.lost();
            if (!isUnacknowledged && !onTheWay.isEmpty()) {
                isUnacknowledged = true;
                turns.after(2 * DialectHost.TIMEOUT.toNanos(), receiver::unacknowledged); // as CassandraLinks asks
            }
            return; // also the end; the window stays full
        }
        byte[] head = onTheWay.poll();
        if (head == null) {
            isFinished = false;
            receiver.ended();
            return;
        }
        int count = (int) Math.min(pieceBytes(head.length), untilFault());
        byte[] piece = Arrays.copyOf(head, count);
        if (count < head.length) {
            onTheWay.addFirst(Arrays.copyOfRange(head, count, head.length));
        }
        if (faults.flippedAt() >= deliveredBytes && faults.flippedAt() < deliveredBytes + count) {
            piece[(int) (faults.flippedAt() - deliveredBytes)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        }
        waitingBytes -= count;
        deliveredBytes += count;
        transcript.arrived(deliveredBytes, turns.nanoTime());
        receiver.arrived(piece);
        schedule();
    }

    private int pieceBytes(int most) {
        return switch (random.nextInt(8)) {
            case 0 -> 1;
            case 1 -> 1 + random.nextInt(Math.min(most, 40));
            case 2, 3 -> 1 + random.nextInt(most);
            default -> most;
        };
    }

    private long untilFault() {
        long next = Math.min(faults.cutAt(), Math.min(faults.lostAt(), faults.stalledAt()));
        return next > deliveredBytes ? next - deliveredBytes : Long.MAX_VALUE;
    }
}
