package io.sluice.netty;

import io.sluice.netty.metrics.QueueSample;
import io.sluice.netty.send.SendingPeer;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Transport;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.PeerLog;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.ring.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Welcomes peers: checks who they are and whom they mean, then gives their connection to the session, or the query,
 * that it is for. A stranger has 10 s to say hello.
 *
 * <p>Thread-safe.
 */
final class Acceptor {
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);
    private static final long HELLO_DEADLINE_SECONDS = 10;
    private static final long NO_FEATURES = 0;
    /** More than one receiver opens at once; those beyond are closed before a byte of them is read. */
    private static final int MAX_STRANGERS_OF_AN_ADDRESS = 40;

    private static final int MAX_STRANGERS = 128;

    private final Node self;
    private final Message.Cluster cluster;
    private final Transport transport;
    private final SendingPeer.Resources resources;
    private final Map<SessionKey, SendingPeer> sessions = new ConcurrentHashMap<>();

    private final Strangers strangers = new Strangers(MAX_STRANGERS, MAX_STRANGERS_OF_AN_ADDRESS);

    private final PeerLog log = new PeerLog(System::nanoTime);

    private record SessionKey(UUID planId, UUID peer, int index) {}

    Acceptor(Node self, Message.Cluster cluster, Transport transport, SendingPeer.Resources resources) {
        this.self = self;
        this.cluster = cluster;
        this.transport = transport;
        this.resources = resources;
    }

    /** The first listener of a connection that a peer opened. */
    Connection.Listener stranger() {
        return new Stranger();
    }

    /** A sample of each session. On the mailbox. */
    List<SendingProgress> progress() {
        return sessions.values().stream().map(SendingPeer::progress).toList();
    }

    /** How full is what sessions that send share, and the room for those who have not said who they are. */
    List<QueueSample> queues() {
        return List.of(
                resources.memory().connections().sample(),
                resources.memory().inventory().sample(),
                new QueueSample("strangers", "connections", strangers.count(), MAX_STRANGERS),
                new QueueSample("obsolete", "bytes", resources.pins().obsoleteBytes(), QueueSample.OF_ITS_USERS));
    }

    /** Fails all sessions. */
    void cancelAll(String reason) {
        sessions.values().forEach(session -> session.cancel(reason));
    }

    private final class Stranger implements Connection.Listener {
        private boolean saidHello;
        private boolean isCounted;
        private String address = "";
        private @Nullable Future<?> hurrying;

        @Override
        public void onOpen(Connection connection) {
            address = connection.address();
            isCounted = strangers.enter(address);
            if (!isCounted) {
                LOG.debug("{}: too many connections that do not say who they are", address);
                connection.fail(new StreamException(ErrorCode.PROTOCOL, "too many connections at once"));
                return;
            }
            hurrying = connection.after(HELLO_DEADLINE_SECONDS, TimeUnit.SECONDS, () -> hurry(connection));
        }

        private void known() {
            if (isCounted) {
                isCounted = false;
                strangers.leave(address);
            }
            if (hurrying != null) {
                hurrying.cancel(false); // it would keep the connection for ten seconds
            }
        }

        private void hurry(Connection connection) {
            if (!saidHello) {
                connection.fail(new StreamException(ErrorCode.TIMEOUT, "no hello within 10 s"));
            }
        }

        @Override
        public void onMessage(Connection connection, Message message) {
            saidHello = true;
            known();
            if (message instanceof Message.Hello hello) {
                try {
                    check(hello);
                    welcome(connection, hello);
                } catch (StreamException e) {
                    refuse(connection, e);
                }
            } else {
                connection.fail(new StreamException(ErrorCode.PROTOCOL, "a connection that does not begin with Hello"));
            }
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            known();
            LOG.debug("{} went before it was anybody: {}", connection.channel().remoteAddress(), reason);
        }
    }

    private void refuse(Connection connection, StreamException why) {
        log.write(
                LOG,
                Level.WARN,
                connection.address(),
                "refused {}: {}",
                connection.address(),
                String.valueOf(why.getMessage()));
        connection.send(new Message.SessionFailed(why.code(), String.valueOf(why.getMessage())));
        connection.close();
    }

    private void check(Message.Hello hello) {
        Optional<String> difference = cluster.difference(hello.cluster());
        if (difference.isPresent()) {
            throw new StreamException(ErrorCode.WRONG_PEER, difference.get());
        }
        if (!hello.target().equals(self.id())) {
            throw new StreamException(
                    ErrorCode.WRONG_PEER, "this is node " + self.id() + " (meant: " + hello.target() + ")");
        }
    }

    private void welcome(Connection connection, Message.Hello hello) {
        SessionKey key =
                new SessionKey(hello.planId(), hello.sender(), hello.session().index());
        switch (hello.role()) {
            case CONTROL -> {
                SendingPeer session =
                        new SendingPeer(hello, connection, resources, log, ended -> sessions.remove(key, ended));
                SendingPeer current = sessions.merge(key, session, SendingPeer::newer);
                if (current != session) {
                    throw new StreamException(
                            ErrorCode.PROTOCOL,
                            "plan " + hello.planId() + " has this session already, of the same attempt or a newer one");
                }
                connection.handOver(session);
                session.start();
            }
            case DATA -> {
                SendingPeer session = sessions.get(key);
                if (session == null || !session.number().equals(hello.session())) {
                    throw new StreamException(
                            ErrorCode.PROTOCOL, "plan " + hello.planId() + " has no such session here (any more)");
                }
                transport.moveToSenders(connection.channel(), () -> join(session, connection, hello));
                return; // it is welcome when it is there
            }
            case QUERY -> {
                SpansResponder responder = new SpansResponder(resources);
                connection.handOver(responder);
                responder.expectQuery(connection);
            }
        }
        connection.send(new Message.Welcome(self.id(), NO_FEATURES));
    }

    /** A data connection that the loop which will serve it has. */
    private void join(SendingPeer session, Connection connection, Message.Hello hello) {
        try {
            connection.handOver(session.dataListener(hello.connection()));
            resources.mailbox().execute(() -> session.add(hello.connection(), connection));
            connection.send(new Message.Welcome(self.id(), NO_FEATURES));
        } catch (StreamException e) {
            refuse(connection, e);
        }
    }
}
