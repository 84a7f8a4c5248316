package io.sluice.cassandra.load;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Options of a load. Immutable.
 *
 * @param keyspace of the cluster, if it differs from that of the folders
 * @param bytesPerSecond limit of all connections together; 0 for no limit
 * @param connectionsPerHost number of connections that carry files, 1 to 64
 * @param timeout a session without progress for this long fails, unless the node has all files and works on them
 * @param ignored nodes that receive nothing, by broadcast address and storage port; port 0 matches any
 */
public record LoadOptions(
        Optional<String> keyspace,
        long bytesPerSecond,
        int connectionsPerHost,
        Duration timeout,
        List<InetSocketAddress> ignored) {
    /** Of an ignored node whose port is not said. */
    public static final int ANY_PORT = 0;

    private static final int MOST_CONNECTIONS = 64;

    public LoadOptions {
        ignored = List.copyOf(ignored);
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("throttle: " + bytesPerSecond + " (expected: 0 or more)");
        }
        if (connectionsPerHost < 1 || connectionsPerHost > MOST_CONNECTIONS) {
            throw new IllegalArgumentException(
                    "connections per host: " + connectionsPerHost + " (expected: 1 to " + MOST_CONNECTIONS + ")");
        }
    }

    /** Of a load to all nodes. */
    public LoadOptions(Optional<String> keyspace, long bytesPerSecond, int connectionsPerHost, Duration timeout) {
        this(keyspace, bytesPerSecond, connectionsPerHost, timeout, List.of());
    }
}
