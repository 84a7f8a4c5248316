package io.sluice.netty.transport;

import io.netty.channel.ChannelFuture;
import io.sluice.netty.security.Tls;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.util.Optional;
import java.util.UUID;

/** Opens connections to peers: connect, hello, welcome. Thread-safe. */
public final class Dialer {
    private final Transport transport;
    private final Optional<Tls> security;
    private final String clusterName;
    private final UUID self;

    /** @param security empty for plain text */
    public Dialer(Transport transport, Optional<Tls> security, String clusterName, UUID self) {
        this.transport = transport;
        this.security = security;
        this.clusterName = clusterName;
        this.self = self;
    }

    /** What became of a dial; one of the two is called, once, on an event loop. */
    public interface Answer {
        void connected(Connection connection);

        void failed(StreamException reason);
    }

    /** What a connection to {@code peer} begins with. */
    public Message hello(Node peer, Message.Role role, UUID planId, Message.SessionNumber session, int connection) {
        return new Message.Hello(clusterName, self, peer.id(), role, planId, session, connection);
    }

    /** Opens one connection, and hands it to {@code listener} once the peer has welcomed it. */
    public void dial(Node peer, Message hello, Connection.Listener listener, Answer answer) {
        Address address = peer.address();
        ChannelFuture connected = transport.connect(
                address,
                Connection.initializer(
                        () -> new Waiting(peer, hello, listener, answer),
                        security.map(tls -> allocator -> tls.client(allocator, address))));
        connected.addListener(future -> {
            if (!future.isSuccess()) {
                String why = String.valueOf(future.cause().getMessage());
                answer.failed(new StreamException(ErrorCode.PEER_LOST, "cannot connect to " + peer + ": " + why));
            }
        });
    }

    /** Says hello and waits for the welcome. */
    private record Waiting(Node peer, Message hello, Connection.Listener next, Answer answer)
            implements Connection.Listener {
        @Override
        public void onOpen(Connection connection) {
            connection.send(hello);
        }

        @Override
        public void onMessage(Connection connection, Message message) {
            if (message instanceof Message.Welcome welcome && welcome.node().equals(peer.id())) {
                connection.handOver(next);
                answer.connected(connection);
            } else if (message instanceof Message.SessionFailed refusal) {
                connection.fail(new StreamException(refusal.code(), "it refused: " + refusal.reason()));
            } else {
                connection.fail(
                        new StreamException(ErrorCode.WRONG_PEER, peer.address() + " answered, but is not " + peer));
            }
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            answer.failed(new StreamException(ErrorCode.PEER_LOST, "connection to " + peer + " ended: " + reason));
        }
    }
}
