package io.sluice.harness.fault;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** The connections between nodes, each through a proxy, so that any can be cut. Thread-safe; owns the proxies. */
public final class ProxyNetwork implements AutoCloseable {
    private record Way(UUID from, UUID to) {}

    @GuardedBy("this")
    private final Map<Way, FaultProxy> ways = new LinkedHashMap<>();

    /** Returns {@code to} with the address that {@code from} must use to go through the proxy. */
    public synchronized Node seenBy(Node from, Node to) throws IOException {
        Way way = new Way(from.id(), to.id());
        FaultProxy proxy = ways.get(way);
        if (proxy == null) {
            proxy = FaultProxy.start(to.address());
            ways.put(way, proxy);
        }
        return new Node(to.id(), to.name(), proxy.address(), to.tokens(), to.status());
    }

    /** Drops all traffic between the two nodes. */
    public synchronized void cut(Node one, Node other) {
        ways.forEach((way, proxy) -> {
            if (way.equals(new Way(one.id(), other.id())) || way.equals(new Way(other.id(), one.id()))) {
                proxy.cut();
            }
        });
    }

    /** Restores all traffic. */
    public synchronized void heal() {
        ways.values().forEach(FaultProxy::heal);
    }

    @Override
    public synchronized void close() throws IOException {
        for (FaultProxy proxy : ways.values()) {
            proxy.close();
        }
    }
}
