package io.sluice.netty;

import io.sluice.netty.memory.PeerMemory;
import io.sluice.netty.metrics.QueueSample;
import io.sluice.netty.send.SendingPeer;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Transport;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.PeerLog;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.Peer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Welcomes peers: gives each connection whose handshake is complete to the session, or the query, that it is for.
 *
 * <p>Thread-safe.
 */
final class Acceptor {
    private static final long NO_FEATURES = 0;

    private final Node self;
    private final Transport transport;
    private final SendingPeer.Resources resources;
    private final Map<SessionKey, SendingPeer> sessions = new ConcurrentHashMap<>();

    private final Handshakes handshakes;

    private final PeerPlaces places;

    private final PeerLog log;

    private record SessionKey(UUID planId, UUID peer, int index) {}

    /** No connection is there yet. */
    Acceptor(Handshakes.Parties parties, Transport transport, SendingPeer.Resources resources) {
        this.self = parties.self();
        this.log = parties.log();
        this.handshakes = new Handshakes(parties, this::accepted);
        this.transport = transport;
        this.resources = resources;
        this.places =
                new PeerPlaces(resources.sessionsPerPeer(), resources.memory().connections());
    }

    /** The first listener of a connection that a peer opened. */
    Connection.Listener next() {
        return handshakes.next();
    }

    /** A sample of each session. On the mailbox. */
    List<SendingProgress> progress() {
        return sessions.values().stream().map(SendingPeer::progress).toList();
    }

    /** How full is what sessions that send share, and the room for connections before their handshake is complete. */
    List<QueueSample> queues() {
        return List.of(
                resources.memory().connections().sample(),
                resources.memory().inventory().sample(),
                places.sessions(),
                places.queries(),
                handshakes.queue(),
                resources.access().holds().sample(),
                new QueueSample("obsolete", "bytes", resources.pins().obsoleteBytes(), QueueSample.OF_ITS_USERS));
    }

    /** Fails all sessions. */
    void cancelAll(String reason) {
        sessions.values().forEach(session -> session.cancel(reason));
    }

    /** Has a connection served by the loop for what it is, and welcomes it there. */
    private void accepted(Connection connection, Message.Hello hello) {
        Runnable welcome = () -> {
            if (!connection.channel().isActive()) {
                return; // its end was heard already
            }
            try {
                welcome(connection, hello);
                connection.send(new Message.Welcome(self.id(), NO_FEATURES));
                tell(connection.peer(hello.sender()), hello);
            } catch (StreamException e) {
                handshakes.refuse(connection, connection.peer(hello.sender()), e);
            } catch (RuntimeException | Error e) {
                Failure failure = Failure.of(e);
                handshakes.refuse(connection, new StreamException(failure.code(), failure.reason(), e));
                Failure.throwIfFatal(e);
            }
        };
        if (hello.role() == Message.Role.DATA) {
            transport.moveToSenders(connection.channel(), welcome);
        } else {
            transport.moveToControl(connection.channel(), welcome);
        }
    }

    private void tell(Peer peer, Message.Hello hello) {
        AuditEvent.Identity who = AuditEvent.Identity.of(peer);
        String role = hello.role().name();
        if (peer.isAuthenticated()) {
            resources.access().audit().tell(new AuditEvent.ConnectionAccepted(who, hello.planId(), role, 0));
        } else {
            resources
                    .access()
                    .audit()
                    .tell(
                            peer.address(),
                            "connection-accepted",
                            unreported -> new AuditEvent.ConnectionAccepted(who, hello.planId(), role, unreported));
        }
    }

    private void welcome(Connection connection, Message.Hello hello) {
        SessionKey key =
                new SessionKey(hello.planId(), hello.sender(), hello.session().index());
        switch (hello.role()) {
            case CONTROL -> {
                SendingPeer session = begin(connection, hello, key);
                connection.handOver(session);
                session.start();
            }
            case DATA -> {
                SendingPeer session = sessions.get(key);
                if (session == null || !session.number().equals(hello.session())) {
                    throw new StreamException(
                            ErrorCode.PROTOCOL, "plan " + hello.planId() + " has no such session here (any more)");
                }
                connection.handOver(session.dataListener(hello.connection()));
                session.charge(connection);
                resources.mailbox().execute(() -> session.add(hello.connection(), connection));
            }
            case QUERY -> {
                Runnable end = places.enterQuery(hello.sender());
                PeerMemory memory = resources.memory().inventory().of(hello.sender());
                connection.charge(memory);
                Peer peer = connection.peer(hello.sender());
                SpansResponder responder =
                        new SpansResponder(peer, hello.planId(), resources, log, new SpansResponder.Place(memory, end));
                connection.handOver(responder);
                responder.expectQuery(connection);
            }
        }
    }

    private SendingPeer begin(Connection connection, Message.Hello hello, SessionKey key) {
        Runnable leave = places.enterSession(hello.sender());
        try {
            SendingPeer session = new SendingPeer(
                    hello,
                    connection,
                    resources,
                    log,
                    new SendingPeer.Ends(ended -> sessions.remove(key, ended), leave));
            if (sessions.merge(key, session, SendingPeer::newer) != session) {
                throw new StreamException(
                        ErrorCode.PROTOCOL,
                        "plan " + hello.planId() + " has this session already, of the same attempt or a newer one");
            }
            return session;
        } catch (RuntimeException | Error e) {
            leave.run();
            throw e;
        }
    }
}
