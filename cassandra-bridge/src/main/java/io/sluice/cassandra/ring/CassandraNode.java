package io.sluice.cassandra.ring;

import io.sluice.streaming.ring.Address;
import java.net.InetSocketAddress;
import java.util.UUID;

/**
 * A node as the cluster describes it. Immutable.
 *
 * @param streaming its streaming address: broadcast address and storage port
 * @param release {@code 5.0.9}
 */
public record CassandraNode(UUID hostId, InetSocketAddress streaming, String dataCenter, String release) {
    /** Whether its release is 4.1 or older. */
    public boolean isBeforeFive() {
        return major() < 5;
    }

    /** Whether we support its streaming protocol: 4.0 to 5.0. */
    public boolean isKnown() {
        return major() == 4 || release.startsWith("5.0");
    }

    private int major() {
        int dot = release.indexOf('.');
        return dot < 1 ? 0 : Integer.parseInt(release.substring(0, dot));
    }

    /** Returns the streaming address, such as {@code 127.0.0.1:7000}. */
    @Override
    public String toString() {
        return Address.text(streaming.getAddress().getHostAddress(), streaming.getPort());
    }
}
