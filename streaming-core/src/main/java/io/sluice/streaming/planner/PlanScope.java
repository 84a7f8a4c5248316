package io.sluice.streaming.planner;

import io.sluice.streaming.plan.TopologyPlan.Unavailable;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The destinations of a plan, and the excluded sources. Immutable.
 *
 * @param id of the plan
 * @param destination the only node to plan for; ranges of other nodes are ignored. Empty for all nodes
 * @param unavailable sources that must not be used
 */
public record PlanScope(UUID id, Optional<Node> destination, List<Unavailable> unavailable) {
    /** All nodes, for a plan without an id. */
    static final PlanScope ALL = new PlanScope(new UUID(0, 0), Optional.empty(), List.of());

    public PlanScope {
        unavailable = List.copyOf(unavailable);
    }

    /** Whether the needs of {@code node} are planned. */
    boolean includes(Node node) {
        return destination.isEmpty() || destination.get().equals(node);
    }

    /** The nodes that must not send {@code table}. */
    Set<Node> out(TableRef table) {
        Set<Node> out = new HashSet<>();
        for (Unavailable left : unavailable) {
            if (left.table().isEmpty() || left.table().get().equals(table)) {
                out.add(left.node());
            }
        }
        return out;
    }
}
