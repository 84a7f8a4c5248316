package io.sluice.cassandra.net;

import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.ring.Address;
import java.net.InetSocketAddress;
import java.util.UUID;

/** The log keys of sessions in the Cassandra dialect, which names nodes by their addresses. */
public final class SessionKeys {
    private SessionKeys() {}

    /** The keys of a session with the node at {@code peer}. */
    public static LogKeys of(UUID planId, InetSocketAddress peer) {
        return new LogKeys(planId.toString(), Address.text(peer.getHostString(), peer.getPort()), null);
    }
}
