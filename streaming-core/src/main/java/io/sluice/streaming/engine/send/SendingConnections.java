package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.runtime.InboundQueue;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.session.ConnectionLiveness;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.throttle.CombinedThrottle;
import io.sluice.streaming.transfer.OfferedSSTable;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The data connections of one sending session: passes on what the receiver requests, and sends file regions, one queue
 * for each connection. Confined to the loop; listeners post there.
 */
final class SendingConnections {
    private static final Logger LOG = LoggerFactory.getLogger(SendingConnections.class);

    private final String name;
    private final UUID peer;
    private final LogKeys keys;
    private final SendingContext sending;
    private final NodeContext node;
    private final PeerMemory memory;
    private final Session session;
    private final Map<Integer, RegionQueue> data = new HashMap<>();

    /** The session of the connections. */
    interface Session {
        /** Handles an event; on the loop. */
        void on(Event event);

        /** A message was received; on the loop. */
        void messageReceived();

        /** Ends the session because of a message on one of its connections. From any thread. */
        void ended(PeerChannel channel, Failure failure);

        /** Whether the receiver may still need an offer. On the loop. */
        boolean needs(int offer);

        /** Whether it accepts no more connections. On the loop. */
        boolean isOver();
    }

    /**
     * Starts without connections.
     *
     * @param name of the session, for the log
     * @param memory charged for messages of the receiver
     */
    SendingConnections(
            String name, UUID peer, LogKeys keys, SendingContext sending, PeerMemory memory, Session session) {
        this.name = name;
        this.peer = peer;
        this.keys = keys;
        this.sending = sending;
        this.node = sending.node();
        this.memory = memory;
        this.session = session;
    }

    /**
     * Adds a connection that the peer opened, or refuses it.
     *
     * @param details of the connection, for the log
     */
    void join(int number, PeerChannel channel, String details) {
        if (session.isOver() || data.containsKey(number)) {
            channel.fail(new StreamException(ErrorCode.PROTOCOL, "data connection " + number + " is not allowed"));
        } else {
            node.log().write(LOG, Level.INFO, channel.address(), "{}: data connection {}{}", name, number, details);
            data.put(
                    number,
                    new RegionQueue(
                            channel,
                            node.environment().loop(),
                            sending.memory().connections().of(peer),
                            new Queued(channel),
                            new ConnectionLiveness(node.deadlines(), "node " + peer, node.nanoTime())));
        }
    }

    /** What the queue of one connection reports. */
    private final class Queued implements RegionQueue.Session {
        private final PeerChannel channel;

        Queued(PeerChannel channel) {
            this.channel = channel;
        }

        @Override
        public void failed(Failure why) {
            node.onLoop(() -> session.on(new Event.Failed(why)));
        }

        @Override
        public void unreadable(int offer, Failure why) {
            node.onLoop(() -> {
                if (session.needs(offer)) {
                    session.on(new Event.Failed(why));
                } else { // no wonder: it may be removed, and the receiver has lost the connection
                    channel.fail(new StreamException(ErrorCode.PEER_LOST, why.reason()));
                }
            });
        }

        @Override
        public void sent(long bytes) {
            node.traffic().sent(bytes);
            session.on(new Event.Sent(bytes));
        }
    }

    /**
     * Creates the listener of connection {@code number}; charges memory for the connection until it ends. From any
     * thread.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if there is no memory
     */
    PeerChannel.Listener listener(int number) {
        PeerMemory connections = sending.memory().connections().of(peer);
        long bytes = sending.memory().connectionBytes();
        if (!connections.tryTake(bytes)) {
            throw new StreamException(ErrorCode.LIMIT, connections.shortage(bytes));
        }
        InboundQueue inbound = new InboundQueue(node.environment().loop(), memory);
        return new PeerChannel.Listener() {
            @Override
            public void onMessage(PeerChannel channel, Message message) {
                inbound.post(channel, message, paid -> {
                    received(number, channel, message);
                    return 0;
                });
            }

            @Override
            public void onError(PeerChannel channel, Throwable cause) {
                Failure failure = Failure.of(cause);
                if (failure.code() == ErrorCode.CORRUPT_IN_FLIGHT) {
                    channel.fail(cause); // the receiver opens another one
                } else {
                    session.ended(channel, failure);
                }
            }

            @Override
            public void onEnd(PeerChannel channel, String reason) {
                keys.run(() -> node.log()
                        .write(
                                LOG,
                                Level.INFO,
                                channel.address(),
                                "{}: lost data connection {}: {}",
                                name,
                                number,
                                reason));
                connections.release(bytes);
                node.onLoop(() -> lost(number, channel));
            }
        };
    }

    private void received(int number, PeerChannel channel, Message message) {
        RegionQueue queue = data.get(number);
        if (queue != null && queue.channel() == channel) {
            queue.received(node.nanoTime());
        }
        session.messageReceived();
        if (message instanceof Message.Fetch fetch) {
            session.on(new Event.Fetched(number, fetch.extents()));
        } else if (!(message instanceof Message.KeepAlive)) { // a heartbeat concerns this connection only
            // Only the control connection charges the peer for what its messages make this node keep.
            String what = message.getClass().getSimpleName() + " on data connection " + number;
            session.ended(channel, new Failure(ErrorCode.PROTOCOL, what));
        }
    }

    private void lost(int number, PeerChannel channel) {
        RegionQueue queue = data.get(number);
        if (queue != null && queue.channel() == channel) {
            data.remove(number);
            queue.end();
        }
    }

    /** Looks after each connection: heartbeats, and a receiver that does not read. */
    void tick() {
        data.values().forEach(queue -> queue.look(node.nanoTime()));
    }

    /** Sends an extent; not if its connection is closed meanwhile: the receiver is notified of that. */
    void send(int number, OfferedSSTable sstable, Extent extent, CombinedThrottle limit, TableBytes.Count count) {
        RegionQueue queue = data.get(number);
        if (queue != null) {
            queue.add(sstable.regions(extent), extent, limit, count);
        }
    }

    /** Whether a connection may still send of an offer. */
    boolean isSending(int offer) {
        return data.values().stream().anyMatch(queue -> queue.sends(offer));
    }

    /** The receiver does not need some offers any more: connections that would still send of them are lost. */
    void release(IntPredicate offers) {
        data.values().forEach(queue -> queue.release(offers));
    }

    /** Ends a connection that the receiver has lost. */
    void disconnect(int number) {
        RegionQueue queue = data.get(number);
        if (queue != null) {
            queue.lose();
        }
    }

    /** Sends nothing more: the files are not pinned any more. */
    void end() {
        data.values().forEach(RegionQueue::end);
    }

    /** Closes the connections. */
    void close() {
        data.values().forEach(queue -> queue.channel().close());
    }
}
