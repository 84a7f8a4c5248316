package io.sluice.netty.transport;

import io.netty.channel.ChannelFuture;
import io.netty.util.NetUtil;
import io.sluice.netty.security.Tls;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ProtocolVersions;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.ChannelTimeout;
import io.sluice.streaming.runtime.Network;
import io.sluice.streaming.runtime.PeerChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Opens connections to peers: connect, hello, welcome. Thread-safe. */
public final class Dialer {
    /** For TLS, hello and welcome together, however slowly the bytes arrive. */
    private static final long HANDSHAKE_SECONDS = 10;

    private final Transport transport;
    private final SocketTuning tuning;
    private final Optional<Tls> security;
    private final AccessControl access;
    private final Names names;

    /**
     * How hosts are looked up.
     *
     * @param threads may block: a resolver may take many seconds
     */
    public record Names(Resolver resolver, Executor threads) {
        /** Names of the system's resolver. */
        public Names(Executor threads) {
            this(InetAddress::getByName, threads);
        }
    }

    /** The address of a host; may wait. */
    public interface Resolver {
        /**
         * Looks {@code host} up.
         *
         * @throws UnknownHostException if it has no address, or that cannot be found now
         */
        InetAddress address(String host) throws UnknownHostException;
    }

    /** @param security empty for plain text */
    public Dialer(Transport transport, SocketTuning tuning, Optional<Tls> security, AccessControl access, Names names) {
        this.access = access;
        this.transport = transport;
        this.tuning = tuning;
        this.security = security;
        this.names = names;
    }

    /**
     * Opens one connection, and hands it over to {@code listener} once the peer has welcomed it. Never waits, so it may
     * be called on the loop.
     */
    public void dial(Node peer, Message hello, PeerChannel.Listener listener, Network.Answer answer) {
        WelcomeListener first = new WelcomeListener(peer, hello, listener, answer, access);
        Address address = peer.address();
        if (NetUtil.isValidIpV4Address(address.host()) || NetUtil.isValidIpV6Address(address.host())) {
            connect(new InetSocketAddress(address.host(), address.port()), first);
        } else {
            names.threads().execute(() -> lookUp(address, first));
        }
    }

    private void lookUp(Address address, WelcomeListener first) {
        try {
            InetAddress host = names.resolver().address(address.host());
            unlessClosed(() -> connect(new InetSocketAddress(host, address.port()), first));
        } catch (UnknownHostException e) {
            unlessClosed(() -> first.notConnected("its host cannot be resolved: " + e.getMessage()));
        }
    }

    /** A resolver may answer after the node has closed: then no thread takes a connection, and nobody waits for it. */
    private void unlessClosed(Runnable next) {
        if (!transport.isClosed()) {
            next.run();
        }
    }

    private void connect(InetSocketAddress remote, WelcomeListener first) {
        ChannelFuture connected = transport.connect(
                remote,
                tuning,
                Connection.initializer(
                        () -> first, security.map(tls -> allocator -> tls.client(allocator, first.peer.address()))));
        connected.addListener(future -> {
            if (!future.isSuccess()) {
                first.notConnected(String.valueOf(future.cause().getMessage()));
            }
        });
    }

    /** Sends the hello and waits for the welcome. Confined to the event loop of its connection. */
    private static final class WelcomeListener implements Connection.FirstListener {
        private final Node peer;
        private final Message hello;
        private final PeerChannel.Listener next;
        private final Network.Answer answer;
        private final AccessControl access;
        private boolean isAnswered;
        private final ChannelTimeout timeout = new ChannelTimeout();

        WelcomeListener(
                Node peer, Message hello, PeerChannel.Listener next, Network.Answer answer, AccessControl access) {
            this.access = access;
            this.peer = peer;
            this.hello = hello;
            this.next = next;
            this.answer = answer;
        }

        void notConnected(String why) {
            answer.failed(new StreamException(ErrorCode.PEER_LOST, "cannot connect to " + peer + ": " + why));
        }

        @Override
        public void onOpen(Connection connection) {
            connection.send(hello);
            timeout.begin(connection, HANDSHAKE_SECONDS, "welcome");
        }

        @Override
        public void onMessage(Connection connection, Message message) {
            timeout.end();
            if (message instanceof Message.Welcome welcome && welcome.node().equals(peer.id())) {
                try {
                    access.requireIdentity(connection.peer(peer.id()));
                    requireCommonVersion(welcome);
                } catch (StreamException e) {
                    refused(connection, e);
                    return;
                }
                connection.handOver(next);
                answer.connected(connection);
            } else if (message instanceof Message.SessionFailed refusal) {
                // Keep the peer's code: a node of another cluster need not be asked again.
                refused(connection, new StreamException(refusal.code(), peer + " refused: " + refusal.why()));
            } else {
                refused(
                        connection,
                        new StreamException(ErrorCode.WRONG_PEER, peer.address() + " answered, but it is not " + peer));
            }
        }

        private void requireCommonVersion(Message.Welcome welcome) {
            ProtocolVersions.OURS.difference(welcome.versions()).ifPresent(difference -> {
                throw new StreamException(ErrorCode.WRONG_PEER, peer + " " + difference);
            });
        }

        private void refused(Connection connection, StreamException why) {
            isAnswered = true;
            connection.fail(why);
            answer.failed(why);
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            timeout.end();
            if (!isAnswered) {
                answer.failed(new StreamException(connection.endCode(), "connection to " + peer + " ended: " + reason));
            }
        }
    }
}
