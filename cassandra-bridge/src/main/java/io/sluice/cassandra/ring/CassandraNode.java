package io.sluice.cassandra.ring;

import java.net.InetSocketAddress;
import java.util.UUID;

/**
 * A node as the cluster knows it. Immutable.
 *
 * @param streaming where it takes streams: broadcast address and storage port
 * @param release {@code 5.0.9}
 */
public record CassandraNode(UUID hostId, InetSocketAddress streaming, String dataCenter, String release) {
    /** Whether it is of the 4.0 or 4.1 line, or older. */
    public boolean isBeforeFive() {
        return major() < 5;
    }

    /** Whether we know its streams: 4.0 to 5.0. */
    public boolean isKnown() {
        return major() == 4 || release.startsWith("5.0");
    }

    private int major() {
        int dot = release.indexOf('.');
        return dot < 1 ? 0 : Integer.parseInt(release.substring(0, dot));
    }

    /** {@code 127.0.0.1:7000}. */
    @Override
    public String toString() {
        return streaming.getAddress().getHostAddress() + ":" + streaming.getPort();
    }
}
