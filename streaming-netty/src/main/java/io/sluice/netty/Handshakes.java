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
 * Takes connections from accept to an accepted hello: TLS and hello together within 10 s, and a bounded number of
 * connections at once. A refused connection receives an error code only. A peer that violates the protocol repeatedly
 * is put on hold.
 *
 * <p>Thread-safe; each connection is confined to its event loop.
 */
final class Handshakes {
    private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);

    /** For TLS and hello together, however slowly the bytes arrive. */
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
     * The collaborators of a node's handshakes.
     *
     * @param isPeer whether this IP address belongs to a known peer; answered from memory
     * @param onRefused counts refused connections
     */
    record Parties(
            Node self,
            Message.Cluster cluster,
            Predicate<String> isPeer,
            AccessControl access,
            PeerLog log,
            Runnable onRefused) {}

    /**
     * Starts without connections.
     *
     * @param accepted called with each connection whose hello is accepted, on its event loop; welcomes or refuses it
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
        return new PeerHandshake();
    }

    QueueSample queue() {
        return new QueueSample("handshakes", "connections", room.count(), room.limit());
    }

    /** Refuses a connection; the reason is for this node's log. */
    void refuse(Connection connection, StreamException why) {
        refuse(connection, connection.identity(), why, "");
    }

    /** Refuses a connection; an authenticated peer receives the reason, too. */
    void refuse(Connection connection, Peer peer, StreamException why) {
        refuse(
                connection,
                AuditEvent.Identity.of(peer),
                why,
                peer.isAuthenticated() ? String.valueOf(why.getMessage()) : "");
    }

    private void refuse(Connection connection, AuditEvent.Identity who, StreamException why, String sent) {
        refused(who, why.code(), String.valueOf(why.getMessage()));
        connection.refuse(new Message.SessionFailed(why.code(), sent));
    }

    /**
     * Logs, audits and counts a refusal; events that anybody can cause are limited to a few lines a minute. Counts
     * last, so that whoever reads the count finds the line.
     */
    private void refused(AuditEvent.Identity who, ErrorCode code, String reason) {
        log.write(LOG, Level.WARN, who.address(), "refused {}: {}: {}", who.address(), code, reason);
        access.audit()
                .record(
                        who,
                        "connection-refused",
                        unreported -> new AuditEvent.ConnectionRefused(who, code, reason, unreported));
        onRefused.run();
    }

    /** The log keys for lines about a hello; unproved claims if the peer has shown no certificate. */
    static LogKeys keysOf(Message.Hello hello) {
        return LogKeys.of(hello.planId(), hello.sender());
    }

    /** All pre-handshake connections belong to one event loop. */
    private static void evict(Connection connection) {
        connection.reset(new StreamException(ErrorCode.LIMIT, "too many pre-handshake connections"));
    }

    private Optional<String> difference(Message.Hello hello) {
        Optional<String> difference = cluster.difference(hello.cluster());
        if (difference.isEmpty() && !hello.target().equals(self.id())) {
            return Optional.of("this is node " + self.id() + " (meant: " + hello.target() + ")");
        }
        return difference.or(() -> hello.versions().flatMap(ProtocolVersions.OURS::difference));
    }

    private final class PeerHandshake implements Connection.FirstListener {
        private final ChannelTimeout timeout = new ChannelTimeout();
        private PendingHandshakes.Kind kind = PendingHandshakes.Kind.UNKNOWN;
        private boolean saidHello;
        private boolean isOver;
        /** Whether it sent plain text although this node requires TLS. */
        private boolean isPlain;
        /** Whether its refusal was reported already. */
        private boolean isRefused;

        /**
         * Without TLS an address on hold is refused at once. With TLS it has a small quota, so that another peer with
         * the same address can still connect.
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
                                    + " s more, because it violated the protocol repeatedly: " + hold.reason()));
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

        @SuppressWarnings(
                "FutureReturnValueIgnored") // the answer never fails; an exception after it ends the connection
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

        /** No caller receives its exceptions, and no deadline is left: any exception ends the connection. */
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
                return; // or it was evicted for another one: that is counted, and no violation
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

        /**
         * Whether the peer sent bytes that are not a hello. A wrong version, an untrusted certificate or silence is no
         * violation.
         */
        private boolean isViolation(ErrorCode code) {
            return code == ErrorCode.PROTOCOL || code == ErrorCode.CORRUPT_IN_FLIGHT;
        }
    }
}
