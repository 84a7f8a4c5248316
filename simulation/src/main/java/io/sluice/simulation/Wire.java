package io.sluice.simulation;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.transfer.SourceRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection: two directions, each in order, with random delays. A cut may notify both ends, one, or none. Messages
 * are encoded as frames of the production codec; their claims are checked when they are sent.
 */
final class Wire {
    private static final long MAX_LATENCY_NANOS = 40_000_000;
    private static final long NANOS_PER_BYTE = 1_000;
    private static final long STALLED_NANOS = 50_000_000;

    private final World world;
    final Message.Hello hello;
    final End client;
    final End server;
    private boolean isCut;

    /** Receives what arrives at an end. */
    interface Receiver {
        void receive(ByteBuffer bytes, boolean isMessage) throws IOException;

        void ended(String reason);
    }

    private record Sent(ByteBuffer bytes, boolean isMessage) {}

    /** One end of the connection. */
    final class End implements PeerChannel {
        final SimulatedNode node;
        private final Life life;
        private final BooleanSupplier isAlive;
        private final Deque<Sent> arriving = new ArrayDeque<>();
        private @Nullable Receiver receiver;
        private int due;
        private boolean isRead = true;
        private boolean isEnded;
        private ErrorCode endCode = ErrorCode.PEER_LOST;
        /** How many more bytes sent here arrive; the rest is lost without notice. */
        private long passingBytes = Long.MAX_VALUE;

        private End(SimulatedNode node) {
            this.node = node;
            this.isAlive = node.alive();
            this.life = new Life(world, node, isAlive);
        }

        private End other() {
            return this == client ? server : client;
        }

        /** From now on {@code next} receives what arrives, including what has already arrived. */
        void receiveBy(Receiver next) {
            receiver = next;
            life.later(0, this::deliver);
        }

        /** The same for a listener, which receives whole messages. */
        void listen(Listener listener) {
            receiveBy(new Messages(listener));
        }

        /** After so many more bytes, nothing that this end sends arrives, not even its close. */
        void swallowAfter(long lengthBytes) {
            passingBytes = lengthBytes;
        }

        private final class Messages implements Receiver {
            private final Listener listener;
            private boolean isBroken;

            Messages(Listener listener) {
                this.listener = listener;
            }

            @Override
            public void receive(ByteBuffer bytes, boolean isMessage) {
                if (isBroken) {
                    return;
                }
                if (!isMessage) {
                    fail(new StreamException(
                            ErrorCode.PROTOCOL, "file bytes on a connection that carries only messages"));
                    return;
                }
                try {
                    listener.onMessage(End.this, decoded(bytes));
                } catch (RuntimeException | Error e) {
                    isBroken = true;
                    listener.onError(End.this, e);
                    Failure.throwIfFatal(e);
                }
            }

            @Override
            public void ended(String reason) {
                listener.onEnd(End.this, reason);
            }
        }

        @Override
        public void send(Message truth, Consumer<Boolean> end) {
            if (life.isOver()) {
                return;
            }
            Message message = this == server && world.isLie() ? FalseMessages.of(truth, world.shape) : truth;
            if (!message.equals(truth)) {
                world.note(node.name, "says " + message + ", and it is " + truth);
                world.invariants.falseMessage(Wire.this);
                if (FalseMessages.withholds(truth, message)) {
                    world.oracle.withheld(hello.planId(), node.name);
                }
            }
            world.invariants.leaves(Wire.this, node, message); // also on a dead connection: nobody knows that yet
            ByteBuffer frame = MessageCodec.encode(message);
            boolean isLeaving = !isEnded;
            put(frame, true);
            life.later(world.random.nextLong(MAX_LATENCY_NANOS), () -> end.accept(isLeaving));
        }

        @Override
        public void send(SourceRegion region, Consumer<Optional<Throwable>> end) {
            if (life.isOver()) {
                return;
            }
            long leaving = Math.max(node.stuckNanos(), world.random.nextLong(MAX_LATENCY_NANOS));
            try {
                byte[] bytes = node.region(region);
                if (bytes.length > 0 && world.happens(world.faults.of(FaultRates.Kind.FLIP))) {
                    bytes[world.random.nextInt(bytes.length)] ^= 1;
                    world.note(node.name, "a byte of " + region + " is changed in transit");
                }
                boolean isLeaving = !isEnded;
                if (node.stuckNanos() == 0) {
                    put(ByteBuffer.wrap(bytes), false);
                }
                life.later(
                        leaving,
                        () -> end.accept(
                                isLeaving
                                        ? Optional.empty()
                                        : Optional.of(new IOException("the connection is closed"))));
            } catch (IOException e) {
                life.later(leaving, () -> end.accept(Optional.of(e)));
            }
        }

        private void put(ByteBuffer bytes, boolean isMessage) {
            if (isEnded || isCut || passingBytes == 0) {
                return;
            }
            if (bytes.remaining() > passingBytes) {
                int passing = isMessage ? 0 : (int) passingBytes; // a partial message does not count
                passingBytes = 0;
                if (passing == 0) {
                    return;
                }
                bytes.limit(bytes.position() + passing);
            } else if (passingBytes < Long.MAX_VALUE) {
                passingBytes -= bytes.remaining();
            }
            End other = other();
            other.arriving.add(new Sent(bytes, isMessage));
            long nanos = world.random.nextLong(MAX_LATENCY_NANOS) + bytes.remaining() * NANOS_PER_BYTE;
            other.life.later(nanos, other::arrive);
        }

        private void arrive() {
            if (world.isStalled(client.node, server.node)) {
                life.later(STALLED_NANOS, this::arrive);
                return;
            }
            due++;
            deliver();
        }

        private void deliver() {
            Receiver taker = receiver;
            while (due > 0 && isRead && taker != null && !isEnded && !life.isOver()) {
                due--;
                Sent next = arriving.poll();
                if (next == null) {
                    return; // it was cut meanwhile
                }
                try {
                    if (next.isMessage()) {
                        world.invariants.received(
                                Wire.this, decoded(next.bytes().duplicate()));
                    }
                    taker.receive(next.bytes(), next.isMessage());
                } catch (IOException e) {
                    fail(e);
                }
            }
        }

        @Override
        public void read(boolean isWanted) {
            isRead = isWanted;
            if (isWanted) {
                life.later(0, this::deliver);
            }
        }

        @Override
        public boolean isOpen() {
            return !isEnded;
        }

        @Override
        public void charge(PeerMemory peer) {} // bytes in transit are in the wire, not in a node

        @Override
        public Timer after(long nanos, Runnable task) {
            return new SimulatedLoop(life).after(nanos, () -> {
                if (!isEnded) {
                    task.run();
                }
            });
        }

        @Override
        public void fail(Throwable cause) {
            if (!isEnded) {
                endCode = cause instanceof StreamException known ? known.code() : ErrorCode.PEER_LOST;
                finish(String.valueOf(cause.getMessage()));
            }
        }

        @Override
        public void close() {
            if (!isEnded) {
                finish("closed at this end");
            }
        }

        private void finish(String reason) {
            isEnded = true;
            End other = other();
            if (!isCut && passingBytes > 0) {
                world.scheduler.after(MAX_LATENCY_NANOS * 4, other.isAlive, () -> other.end("the peer closed it"));
            }
            life.later(0, () -> notifyEnd(reason));
        }

        private void end(String reason) {
            if (!isEnded) {
                isEnded = true;
                node.work(() -> notifyEnd(reason));
            }
        }

        private void notifyEnd(String reason) {
            world.closed(Wire.this);
            if (receiver != null && !life.isOver()) {
                receiver.ended(reason);
            }
        }

        @Override
        public ErrorCode endCode() {
            return endCode;
        }

        @Override
        public String address() {
            return other().node.name;
        }

        @Override
        public Peer peer(UUID id) {
            return new Peer(id, address(), List.of());
        }
    }

    private static Message decoded(ByteBuffer frame) {
        if (MessageCodec.frameLength(frame) != frame.remaining()) {
            throw new IllegalStateException(
                    "a frame of " + frame.remaining() + " bytes says that it has " + MessageCodec.frameLength(frame));
        }
        return MessageCodec.decode(frame);
    }

    /** @param hello the client's first message */
    Wire(World world, SimulatedNode from, SimulatedNode to, Message.Hello hello) {
        this.world = world;
        this.hello = hello;
        this.client = new End(from);
        this.server = new End(to);
    }

    /**
     * Cuts the connection.
     *
     * @param clientNoticed whether the client's end is notified
     * @param serverNoticed whether the server's end is notified
     */
    void cut(String reason, boolean clientNoticed, boolean serverNoticed) {
        isCut = true;
        client.arriving.clear();
        server.arriving.clear();
        if (clientNoticed) {
            world.scheduler.after(world.random.nextLong(MAX_LATENCY_NANOS), client.isAlive, () -> client.end(reason));
        }
        if (serverNoticed) {
            world.scheduler.after(world.random.nextLong(MAX_LATENCY_NANOS), server.isAlive, () -> server.end(reason));
        }
    }

    boolean isOver() {
        return isCut || (client.isEnded && server.isEnded);
    }

    /** Whether the source still serves it. */
    boolean isServed() {
        return !server.isEnded && server.isAlive.getAsBoolean();
    }
}
