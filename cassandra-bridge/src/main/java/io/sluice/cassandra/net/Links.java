package io.sluice.cassandra.net;

import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Opens connections to Cassandra nodes and accepts theirs: by sockets, or in the simulation. Thread-safe. */
public interface Links {
    /**
     * Connects and agrees on a version.
     *
     * @param identity the address that we announce as ours; empty for the local end of the connection
     * @throws StreamException with the reason, if the connection fails
     */
    OutgoingLink connect(InetSocketAddress node, Optional<InetSocketAddress> identity);

    /**
     * Listens for connections of nodes.
     *
     * @param at local address and port; port 0 for a free one
     * @param onLink receives each connection after its handshake, on its own thread; the connection is closed when it
     *     returns
     * @param onRefused receives, on any thread, why a connection was refused, as a sentence
     * @throws StreamException if it cannot listen, or if connections are encrypted and we have no key to present to
     *     nodes
     */
    OpenPort listen(InetSocketAddress at, Consumer<IncomingLink> onLink, CassandraAcceptor.Refusals onRefused)
            throws IOException;

    /** How long a node may read nothing, or send nothing when it must. */
    Duration timeout();

    /** Time and threads of the sessions that use these connections. */
    Clockwork clockwork();

    /** An address at which connections are accepted. */
    interface OpenPort extends AutoCloseable {
        /** The address that it listens on. */
        InetSocketAddress address();

        /** Stops accepting, and closes all accepted connections. */
        @Override
        void close();
    }
}
