package io.sluice.netty;

import io.sluice.netty.metrics.QueueSample;
import io.sluice.netty.security.AccessControl;
import io.sluice.netty.transport.Connection;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.PeerLog;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.Access;
import io.sluice.streaming.store.Peer;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes connections from accept to a hello that is accepted: TLS, hello and all within 10 s, in a room that is bounded.
 * A connection that is refused is told a code and no more.
 *
 * <p>Thread-safe; each connection is confined to its event loop.
 */
final class Handshakes {
    private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);

    /** For TLS and hello together, however the bytes come. */
    private static final long DEADLINE_SECONDS = 10;

    private static final HandshakeRoom.Limits LIMITS = new HandshakeRoom.Limits(128, 512, 128, 40);

    private final Node self;
    private final Message.Cluster cluster;
    private final Predicate<String> isPeer;
    private final PeerLog log;
    private final AccessControl access;
    private final BiConsumer<Connection, Message.Hello> accepted;
    private final HandshakeRoom<Connection> room = new HandshakeRoom<>(LIMITS);

    /**
     * @param isPeer whether a peer is found at this IP address; answered from memory
     * @param accepted goes on with a connection whose hello is accepted, on its event loop; welcomes or refuses it
     */
    Handshakes(
            Node self,
            Message.Cluster cluster,
            Predicate<String> isPeer,
            AccessControl access,
            PeerLog log,
            BiConsumer<Connection, Message.Hello> accepted) {
        this.self = self;
        this.cluster = cluster;
        this.isPeer = isPeer;
        this.log = log;
        this.access = access;
        this.accepted = accepted;
    }

    /** The first listener of a connection that a peer opened. */
    Connection.Listener next() {
        return new Handshake();
    }

    QueueSample queue() {
        return new QueueSample("handshakes", "connections", room.count(), room.limit());
    }

    /** Ends a connection whose peer may not go on; the reason is for this node's log. */
    void refuse(Connection connection, StreamException why) {
        refuse(connection, why, "");
    }

    /** The same; a peer that has proved which node it is hears the reason, too. */
    void refuse(Connection connection, Peer peer, StreamException why) {
        refuse(connection, why, peer.isAuthenticated() ? String.valueOf(why.getMessage()) : "");
    }

    private void refuse(Connection connection, StreamException why, String reason) {
        log.write(
                LOG,
                Level.WARN,
                connection.address(),
                "refused {}: {}",
                connection.address(),
                String.valueOf(why.getMessage()));
        connection.send(new Message.SessionFailed(why.code(), reason));
        connection.close();
    }

    /** All in the room are of one event loop. */
    private static void evict(Connection connection) {
        connection.reset(new StreamException(ErrorCode.LIMIT, "too many connections before their handshake"));
    }

    private Optional<String> difference(Message.Hello hello) {
        Optional<String> difference = cluster.difference(hello.cluster());
        return difference.isPresent() || hello.target().equals(self.id())
                ? difference
                : Optional.of("this is node " + self.id() + " (meant: " + hello.target() + ")");
    }

    private final class Handshake implements Connection.Listener {
        private boolean saidHello;
        private boolean isOver;
        private @Nullable Future<?> deadline;

        @Override
        public void onOpen(Connection connection) {
            String address = connection.address();
            HandshakeRoom.Kind kind =
                    isPeer.test(address) ? HandshakeRoom.Kind.PEER_ADDRESS : HandshakeRoom.Kind.UNKNOWN;
            room.enter(connection, address, kind).ifPresent(Handshakes::evict);
            deadline = connection.after(DEADLINE_SECONDS, TimeUnit.SECONDS, () -> late(connection));
        }

        @Override
        public void onSecured(Connection connection) {
            room.become(connection, HandshakeRoom.Kind.CERTIFIED).ifPresent(Handshakes::evict);
        }

        private void late(Connection connection) {
            connection.fail(
                    new StreamException(ErrorCode.TIMEOUT, "no complete handshake within " + DEADLINE_SECONDS + " s"));
        }

        private void leave(Connection connection) {
            room.leave(connection);
            if (deadline != null) {
                deadline.cancel(false); // it would keep the connection for ten seconds
            }
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the answer never fails, and what follows ends the connection
        public void onMessage(Connection connection, Message message) {
            if (saidHello || !(message instanceof Message.Hello hello)) {
                connection.fail(new StreamException(ErrorCode.PROTOCOL, "not one Hello, and then silence"));
                return;
            }
            saidHello = true;
            Peer peer = connection.peer(hello.sender());
            try {
                access.requireIdentity(peer);
            } catch (StreamException impostor) {
                refuse(connection, impostor);
                return;
            }
            Optional<String> difference = difference(hello);
            if (difference.isPresent()) {
                refuse(connection, peer, new StreamException(ErrorCode.WRONG_PEER, difference.get()));
                return;
            }
            access.ask(authorizer -> authorizer.mayConnect(peer))
                    .thenAcceptAsync(
                            answer -> authorized(connection, hello, peer, answer),
                            connection.channel().eventLoop());
        }

        private void authorized(Connection connection, Message.Hello hello, Peer peer, Access answer) {
            if (isOver) {
                return;
            }
            leave(connection);
            if (!answer.isGranted()) {
                refuse(connection, peer, AccessControl.denied(peer, "connect", answer));
                return;
            }
            try {
                accepted.accept(connection, hello);
            } catch (RuntimeException e) {
                connection.fail(e);
            }
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            isOver = true;
            leave(connection);
            LOG.debug("connection from {} closed before the handshake: {}", connection.address(), reason);
        }
    }
}
