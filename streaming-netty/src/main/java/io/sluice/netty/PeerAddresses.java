package io.sluice.netty;

import io.sluice.streaming.guard.VirtualMachineErrors;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The IP addresses of the peers that the database lists, as of the last {@link #refresh}. Thread-safe. */
final class PeerAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(PeerAddresses.class);

    private final Supplier<? extends Collection<String>> peers;
    private volatile Set<String> known = Set.of();

    PeerAddresses(Supplier<? extends Collection<String>> peers) {
        this.peers = peers;
    }

    /** Whether this IP address belongs to a peer. */
    boolean contains(String ip) {
        return known.contains(ip);
    }

    /**
     * Asks the database, and the resolver for names; may wait for both. If either fails, the last known addresses stay
     * in use.
     */
    void refresh() {
        Set<String> found = new HashSet<>();
        try {
            for (String peer : peers.get()) {
                try {
                    for (InetAddress address : InetAddress.getAllByName(peer)) {
                        found.add(address.getHostAddress());
                    }
                } catch (UnknownHostException e) {
                    LOG.debug("peer {} has no address: {}", peer, e.toString());
                }
            }
            known = Set.copyOf(found);
        } catch (Throwable e) { // any exception: the next refresh asks again
            LOG.error("the database failed to list its peers; the previous list stays in use", e);
            VirtualMachineErrors.handOn(e);
        }
    }
}
