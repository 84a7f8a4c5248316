package io.sluice.harness.admin;

import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import java.util.List;

/** A ring as it is written to JSON. Immutable. */
public record RingView(List<Node> nodes, Replication replication) {
    public RingView {
        nodes = List.copyOf(nodes);
    }

    public static RingView of(Ring ring) {
        return new RingView(ring.nodes(), ring.replication());
    }

    public Ring toRing() {
        return new Ring(nodes, replication);
    }
}
