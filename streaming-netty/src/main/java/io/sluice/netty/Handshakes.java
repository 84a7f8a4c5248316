package io.sluice.netty;

import io.sluice.netty.transport.Connection;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.access.Holds;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ProtocolVersions;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.ChannelTimeout;
import io.sluice.streaming.store.Authorizer.Access;
import io.sluice.streaming.store.Authorizer.Peer;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes connections from accept to a hello that is accepted: TLS, hello and all within 10 s, in a room that is bounded.
 * A connection that is refused receives a code and no more. Who violates the protocol here again and again is put on
 * hold.
 *
 * <p>Thread-safe; each connection is confined to its event loop.
 */
final class Handshakes {
    private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);

    /** For TLS and hello together, however the bytes come. */
    private static final long DEADLINE_SECONDS = 10;

    private static final PendingHandshakes.Limits LIMITS = new PendingHandshakes.Limits(16, 128, 128, 512, 128, 40);

    private final Node self;
    private final Message.Cluster cluster;
    private final Predicate<String> isPeer;
    private final PeerLog log;
    private final AccessControl access;
    private final Runnable onRefused;
    private final BiConsumer<Connection, Message.Hello> accepted;
    private final PendingHandshakes<Connection> room = new PendingHandshakes<>(LIMITS);

    /**
     * Who takes part in the handshakes of a node.
     *
     * @param isPeer whether a peer is found at this IP address; answered from memory
     * @param onRefused counts
     */
    record Parties(
            Node self,
            Message.Cluster cluster,
            Predicate<String> isPeer,
            AccessControl access,
            PeerLog log,
            Runnable onRefused) {}

    /**
     * No connection is there yet.
     *
     * @param accepted goes on with a connection whose hello is accepted, on its event loop; welcomes or refuses it
     */
    Handshakes(Parties parties, BiConsumer<Connection, Message.Hello> accepted) {
        this.self = parties.self();
        this.cluster = parties.cluster();
        this.isPeer = parties.isPeer();
        this.log = parties.log();
        this.access = parties.access();
        this.onRefused = parties.onRefused();
        this.accepted = accepted;
    }

    /** The first listener of a connection that a peer opened. */
    Connection.FirstListener next() {
        return new Handshake();
    }

    QueueSample queue() {
        return new QueueSample("handshakes", "connections", room.count(), room.limit());
    }

    /** Ends a connection whose peer may not go on; the reason is for this node's log. */
    void refuse(Connection connection, StreamException why) {
        refuse(connection, connection.identity(), why, "");
    }

    /** The same; a peer with a proved identity receives the reason, too. */
    void refuse(Connection connection, Peer peer, StreamException why) {
        refuse(
                connection,
                AuditEvent.Identity.of(peer),
                why,
                peer.isAuthenticated() ? String.valueOf(why.getMessage()) : "");
    }

    private void refuse(Connection connection, AuditEvent.Identity who, StreamException why, String sent) {
        refused(who, why.code(), String.valueOf(why.getMessage()));
        connection.send(new Message.SessionFailed(why.code(), sent));
        connection.close();
    }

    /** Logs, counts and audits: a few lines a minute of what anybody can cause. */
    private void refused(AuditEvent.Identity who, ErrorCode code, String reason) {
        onRefused.run();
        log.write(LOG, Level.WARN, who.address(), "refused {}: {}: {}", who.address(), code, reason);
        access.audit()
                .record(
                        who.address(),
                        "connection-refused",
                        unreported -> new AuditEvent.ConnectionRefused(who, code, reason, unreported));
    }

    /** Of lines about what a peer wants: not proved, as far as it has shown no certificate. */
    static LogKeys keysOf(Message.Hello hello) {
        return LogKeys.of(hello.planId(), hello.sender());
    }

    /** All in the room are of one event loop. */
    private static void evict(Connection connection) {
        connection.reset(new StreamException(ErrorCode.LIMIT, "too many connections before their handshake"));
    }

    private Optional<String> difference(Message.Hello hello) {
        Optional<String> difference = cluster.difference(hello.cluster());
        if (difference.isEmpty() && !hello.target().equals(self.id())) {
            return Optional.of("this is node " + self.id() + " (meant: " + hello.target() + ")");
        }
        return difference.or(() -> hello.versions().flatMap(ProtocolVersions.OURS::difference));
    }

    private final class Handshake implements Connection.FirstListener {
        private final ChannelTimeout timeout = new ChannelTimeout();
        private PendingHandshakes.Kind kind = PendingHandshakes.Kind.UNKNOWN;
        private boolean saidHello;
        private boolean isOver;
        /** Whether it speaks plain text where TLS is spoken. */
        private boolean isPlain;
        /** Whether why it ends was said already. */
        private boolean isRefused;

        /**
         * An address that is on hold is refused at once where nothing can be proved; where peers show certificates it
         * has a small room, so that a peer that shares the address with somebody else comes in.
         */
        @Override
        public void onOpen(Connection connection) {
            String address = connection.address();
            Optional<Holds.Hold> hold = access.holds().of(Holds.Culprit.address(address));
            if (hold.isPresent() && !access.mustAuthenticate()) {
                refuseHeld(connection, hold.get());
                return;
            }
            if (isPeer.test(address)) {
                kind = PendingHandshakes.Kind.PEER_ADDRESS;
            } else if (hold.isPresent()) {
                kind = PendingHandshakes.Kind.HELD;
            }
            room.enter(connection, address, kind).ifPresent(Handshakes::evict);
            timeout.begin(connection, DEADLINE_SECONDS, "complete handshake");
        }

        private void refuseHeld(Connection connection, Holds.Hold hold) {
            isRefused = true;
            refuse(
                    connection,
                    new StreamException(
                            ErrorCode.LIMIT,
                            hold.who() + " is on hold for " + hold.left().toSeconds()
                                    + " s more, having violated the protocol again and again: " + hold.reason()));
        }

        @Override
        public void onGreeted(Connection connection) {
            if (kind != PendingHandshakes.Kind.PEER_ADDRESS) {
                room.become(connection, PendingHandshakes.Kind.GREETED).ifPresent(Handshakes::evict);
            }
        }

        @Override
        public void onSecured(Connection connection) {
            Optional<Holds.Hold> hold = access.holds().of(Holds.Culprit.of(connection.identity()));
            if (hold.isPresent()) {
                refuseHeld(connection, hold.get());
                return;
            }
            room.become(connection, PendingHandshakes.Kind.CERTIFIED).ifPresent(Handshakes::evict);
        }

        private void leave(Connection connection) {
            room.leave(connection);
            timeout.end();
        }

        @Override
        public void onMessage(Connection connection, Message message) {
            if (isRefused) {
                return;
            }
            if (saidHello || !(message instanceof Message.Hello hello)) {
                connection.fail(new StreamException(ErrorCode.PROTOCOL, "not one Hello, and then silence"));
                return;
            }
            saidHello = true;
            keysOf(hello).run(() -> greeted(connection, hello));
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the answer never fails, and what follows ends the connection
        private void greeted(Connection connection, Message.Hello hello) {
            Peer peer = connection.peer(hello.sender());
            try {
                access.requireIdentity(peer);
            } catch (StreamException impostor) {
                isRefused = true;
                refuse(connection, AuditEvent.Identity.of(peer), impostor, "");
                return;
            }
            Optional<String> difference = difference(hello);
            if (difference.isPresent()) {
                isRefused = true;
                refuse(connection, peer, new StreamException(ErrorCode.WRONG_PEER, difference.get()));
                return;
            }
            access.ask(authorizer -> authorizer.mayConnect(peer))
                    .thenAcceptAsync(
                            answer -> keysOf(hello).run(() -> authorized(connection, hello, peer, answer)),
                            connection.channel().eventLoop());
        }

        /** Nobody receives what it throws: whatever it is ends the connection, of which no deadline is left. */
        private void authorized(Connection connection, Message.Hello hello, Peer peer, Access answer) {
            if (isOver) {
                return;
            }
            try {
                leave(connection);
                if (answer.isGranted()) {
                    accepted.accept(connection, hello);
                } else {
                    isRefused = true;
                    refuse(connection, peer, AccessControl.denied(peer, "connect", answer));
                }
            } catch (Throwable e) {
                connection.fail(e);
                VirtualMachineErrors.handOn(e);
            }
        }

        @Override
        public void onNotTls(Connection connection) {
            isPlain = true;
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            isOver = true;
            leave(connection);
            if (isRefused || connection.endCode() == ErrorCode.LIMIT) {
                return; // or it gave way to another one: that is counted, and nobody's fault
            }
            ErrorCode code = isPlain ? ErrorCode.PROTOCOL : connection.endCode();
            if (isViolation(code)) {
                access.violated(connection.identity(), reason);
            }
            if (code == ErrorCode.PEER_LOST) {
                LOG.debug("connection from {} closed before the handshake: {}", connection.address(), reason);
            } else {
                refused(connection.identity(), code, reason);
            }
        }

        /** Bytes that are no hello; not a wrong version, a certificate that is not trusted, or silence. */
        private boolean isViolation(ErrorCode code) {
            return code == ErrorCode.PROTOCOL || code == ErrorCode.CORRUPT_IN_FLIGHT;
        }
    }
}
