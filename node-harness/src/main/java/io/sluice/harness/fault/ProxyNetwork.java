package io.sluice.harness.fault;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The connections between nodes, each through a proxy, so that any can be cut. Thread-safe; owns the proxies. */
public final class ProxyNetwork implements AutoCloseable {
    private record Way(UUID from, UUID to) {
        Set<UUID> pair() {
            return Set.of(from, to);
        }
    }

    @GuardedBy("this")
    private final Map<Way, FaultProxy> ways = new LinkedHashMap<>();

    /** How many cuts each pair of nodes has. */
    @GuardedBy("this")
    private final Multiset<Set<UUID>> cuts = HashMultiset.create();

    /** Returns {@code to} with the address that {@code from} must use to go through the proxy. */
    public synchronized Node seenBy(Node from, Node to) throws IOException {
        Way way = new Way(from.id(), to.id());
        FaultProxy proxy = ways.get(way);
        if (proxy == null) {
            proxy = FaultProxy.start(to.address());
            ways.put(way, proxy);
            if (cuts.contains(way.pair())) {
                proxy.cut();
            }
        }
        return new Node(to.id(), to.name(), proxy.address(), to.tokens(), to.status());
    }

    /** Drops all traffic between two different nodes, also of ways that are asked for later. */
    public synchronized void cut(Node one, Node other) {
        Set<UUID> pair = Set.of(one.id(), other.id());
        cuts.add(pair);
        between(pair).forEach(FaultProxy::cut);
    }

    /** Ends a cut of two nodes; the last one to end restores their traffic. */
    public synchronized void heal(Node one, Node other) {
        Set<UUID> pair = Set.of(one.id(), other.id());
        cuts.remove(pair);
        if (!cuts.contains(pair)) {
            between(pair).forEach(FaultProxy::heal);
        }
    }

    @GuardedBy("this")
    private List<FaultProxy> between(Set<UUID> pair) {
        return ways.entrySet().stream()
                .filter(way -> way.getKey().pair().equals(pair))
                .map(Map.Entry::getValue)
                .toList();
    }

    @Override
    public synchronized void close() throws IOException {
        for (FaultProxy proxy : ways.values()) {
            proxy.close();
        }
    }
}
