package io.sluice.cassandra.load;

import java.time.Duration;
import java.util.Optional;

/**
 * How to load. Immutable.
 *
 * @param keyspace of the cluster, if not that of the folders
 * @param bytesPerSecond of all connections together; 0 for no limit
 * @param connectionsPerHost that carry files, 1 to 64
 * @param timeout after how long without progress a session fails
 */
public record LoadOptions(Optional<String> keyspace, long bytesPerSecond, int connectionsPerHost, Duration timeout) {
    private static final int MOST_CONNECTIONS = 64;

    public LoadOptions {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("throttle: " + bytesPerSecond + " (expected: 0 or more)");
        }
        if (connectionsPerHost < 1 || connectionsPerHost > MOST_CONNECTIONS) {
            throw new IllegalArgumentException(
                    "connections per host: " + connectionsPerHost + " (expected: 1 to " + MOST_CONNECTIONS + ")");
        }
    }
}
