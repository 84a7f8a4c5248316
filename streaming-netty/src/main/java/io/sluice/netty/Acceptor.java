package io.sluice.netty;

import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.netty.transport.Transport;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ProtocolVersions;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.Authorizer.Peer;
import java.util.List;

/**
 * Accepts connections whose handshake is complete, and hands them over to the engine.
 *
 * <p>Thread-safe.
 */
final class Acceptor {
    private final Node self;
    private final Transport transport;
    private final SocketTuning tuning;
    private final AccessControl access;
    private final Engine engine;
    private final Handshakes handshakes;

    /** Starts without connections. */
    Acceptor(Handshakes.Parties parties, Transport transport, SocketTuning tuning, Engine engine) {
        this.self = parties.self();
        this.access = parties.access();
        this.handshakes = new Handshakes(parties, this::accepted);
        this.transport = transport;
        this.tuning = tuning;
        this.engine = engine;
    }

    /** The first listener of a connection that a peer opened. */
    Connection.FirstListener next() {
        return handshakes.next();
    }

    /** The number of pre-handshake connections, and of peers on hold. */
    List<QueueSample> queues() {
        return List.of(handshakes.queue(), access.holds().sample());
    }

    /** Lets the loop serve the connection according to its role, and send the welcome. */
    private void accepted(Connection connection, Message.Hello hello) {
        Runnable welcome = Handshakes.keysOf(hello).around(() -> {
            if (!connection.channel().isActive()) {
                return; // its end was handled already
            }
            try {
                welcome(connection, hello);
                connection.send(Message.Welcome.from(self.id(), ProtocolVersions.OURS));
                recordAccepted(connection.peer(hello.sender()), hello);
            } catch (StreamException e) {
                handshakes.refuse(connection, connection.peer(hello.sender()), e);
            } catch (RuntimeException | Error e) {
                Failure failure = Failure.of(e);
                handshakes.refuse(connection, new StreamException(failure.code(), failure.reason(), e));
                Failure.throwIfFatal(e);
            }
        });
        if (hello.role() == Message.Role.DATA) {
            transport.moveToSenders(connection.channel(), welcome);
        } else {
            transport.moveToControl(connection.channel(), welcome);
        }
    }

    private void recordAccepted(Peer peer, Message.Hello hello) {
        AuditEvent.Identity who = AuditEvent.Identity.of(peer);
        String role = hello.role().name();
        if (peer.isAuthenticated()) {
            access.audit().record(new AuditEvent.ConnectionAccepted(who, hello.planId(), role, 0));
        } else {
            access.audit()
                    .record(
                            who,
                            "connection-accepted",
                            unreported -> new AuditEvent.ConnectionAccepted(who, hello.planId(), role, unreported));
        }
    }

    private void welcome(Connection connection, Message.Hello hello) {
        String details =
                hello.role() == Message.Role.DATA ? ", congestion control " + tuning.applyTo(connection.channel()) : "";
        connection.handOver(engine.accept(connection, hello, details));
    }
}
