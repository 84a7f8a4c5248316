package io.sluice.netty;

import io.sluice.streaming.guard.VirtualMachineErrors;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The IP addresses of the peers that the database lists, as of the last {@link #refresh}. Thread-safe. */
final class PeerAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(PeerAddresses.class);

    private final Supplier<? extends Collection<String>> peers;
    private final Resolver resolver;
    /** The peers that the last refresh could not resolve: a line is logged when another one joins them. */
    private volatile Set<String> unresolved = Set.of();

    private volatile Map<String, Set<String>> byPeer = Map.of();
    /** All addresses of {@link #byPeer}: asked for each connection. */
    private volatile Set<String> known = Set.of();

    PeerAddresses(Supplier<? extends Collection<String>> peers) {
        this(peers, InetAddress::getAllByName);
    }

    /** With another resolver; for tests. */
    PeerAddresses(Supplier<? extends Collection<String>> peers, Resolver resolver) {
        this.peers = peers;
        this.resolver = resolver;
    }

    /** The addresses of a host; may wait. */
    interface Resolver {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    /** Whether this IP address belongs to a peer. */
    boolean contains(String ip) {
        return known.contains(ip);
    }

    /**
     * Asks the database, and the resolver for names; may wait for both. If the database fails, all last known addresses
     * stay in use; if a name cannot be resolved, those of that name. Not to be called by two threads at once.
     */
    void refresh() {
        Map<String, Set<String>> found = new HashMap<>();
        Set<String> failed = new TreeSet<>();
        try {
            for (String peer : peers.get()) {
                try {
                    found.put(
                            peer,
                            Arrays.stream(resolver.addresses(peer))
                                    .map(InetAddress::getHostAddress)
                                    .collect(Collectors.toUnmodifiableSet()));
                } catch (UnknownHostException e) {
                    LOG.debug("peer {} has no address: {}", peer, e.toString());
                    found.put(peer, byPeer.getOrDefault(peer, Set.of()));
                    failed.add(peer);
                }
            }
        } catch (Throwable e) { // any exception: the next refresh asks again
            LOG.error("the database failed to list its peers; the previous list stays in use", e);
            VirtualMachineErrors.handOn(e);
            return;
        }
        if (!unresolved.containsAll(failed)) {
            LOG.warn("cannot resolve the peers {}; their last known addresses, if any, stay in use", failed);
        }
        unresolved = Set.copyOf(failed);
        byPeer = Map.copyOf(found);
        known = found.values().stream().flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());
    }
}
