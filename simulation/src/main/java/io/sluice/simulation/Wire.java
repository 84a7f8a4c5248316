package io.sluice.simulation;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection: two directions, each in order, each as slow as it likes. It may be cut so that both ends hear of it,
 * or one, or none. Messages pass it as the frames of the production codec; what they claim is judged when they leave.
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

    /** Who hears what arrives. */
    interface Listener {
        void onMessage(Object message);

        void onEnd(String reason);
    }

    /** One end of it. */
    final class End {
        final SimulatedNode node;
        private final BooleanSupplier isAlive;
        private final Deque<Object> arriving = new ArrayDeque<>();
        private @Nullable Listener listener;
        private boolean isEnded;

        private End(SimulatedNode node) {
            this.node = node;
            this.isAlive = node.alive();
        }

        void listen(Listener hears) {
            listener = hears;
        }

        /** Sends to the other end. */
        void send(Object message, long bytes) {
            End other = this == client ? server : client;
            if (message instanceof Message m) {
                world.promises.leaves(Wire.this, node, m); // also into a line that is dead: nobody knows that yet
            }
            if (isEnded || isCut) {
                return;
            }
            world.scheduler.after(
                    world.random.nextLong(MAX_LATENCY_NANOS) + bytes * NANOS_PER_BYTE, other.isAlive, other::arrive);
            other.arriving.add(message instanceof Message m ? MessageCodec.encode(m) : message);
        }

        private void arrive() {
            if (world.isStalled(client.node, server.node)) {
                world.scheduler.after(STALLED_NANOS, isAlive, this::arrive);
                return;
            }
            Object next = arriving.poll();
            Listener hears = listener;
            if (next != null && hears != null && !isEnded) {
                Object message = next instanceof ByteBuffer frame ? decoded(frame) : next;
                if (message instanceof Message m) {
                    world.promises.arrives(Wire.this, m);
                }
                hears.onMessage(message);
            }
        }

        /** This end closes the connection; the other end hears of it. */
        void close() {
            if (!isEnded) {
                isEnded = true;
                End other = this == client ? server : client;
                world.scheduler.after(MAX_LATENCY_NANOS * 4, other.isAlive, () -> other.end("closed by the peer"));
            }
        }

        private void end(String reason) {
            if (!isEnded) {
                isEnded = true;
                world.closed(Wire.this);
                if (listener != null) {
                    listener.onEnd(reason);
                }
            }
        }

        Wire wire() {
            return Wire.this;
        }

        boolean isEnded() {
            return isEnded;
        }
    }

    private static Message decoded(ByteBuffer frame) {
        if (MessageCodec.frameLength(frame) != frame.remaining()) {
            throw new IllegalStateException(
                    "a frame of " + frame.remaining() + " bytes says that it has " + MessageCodec.frameLength(frame));
        }
        return MessageCodec.decode(frame);
    }

    /** @param hello what is said first, by the client */
    Wire(World world, SimulatedNode from, SimulatedNode to, Message.Hello hello) {
        this.world = world;
        this.hello = hello;
        this.client = new End(from);
        this.server = new End(to);
    }

    /**
     * Nothing passes any more.
     *
     * @param clientHears whether the client's end is told
     * @param serverHears whether the server's end is told
     */
    void cut(String reason, boolean clientHears, boolean serverHears) {
        isCut = true;
        client.arriving.clear();
        server.arriving.clear();
        if (clientHears) {
            world.scheduler.after(world.random.nextLong(MAX_LATENCY_NANOS), client.isAlive, () -> client.end(reason));
        }
        if (serverHears) {
            world.scheduler.after(world.random.nextLong(MAX_LATENCY_NANOS), server.isAlive, () -> server.end(reason));
        }
    }

    boolean isOver() {
        return isCut || (client.isEnded() && server.isEnded());
    }
}
