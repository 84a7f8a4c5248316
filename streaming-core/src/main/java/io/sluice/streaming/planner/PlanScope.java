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
 * For whom is planned, and without whom. Immutable.
 *
 * @param id of the plan
 * @param destination the only node that is planned for, whatever becomes of the ranges of others; empty for all
 * @param unavailable who is not planned with
 */
public record PlanScope(UUID id, Optional<Node> destination, List<Unavailable> unavailable) {
    /** All nodes, for a plan that no node has an id for. */
    public static final PlanScope ALL = new PlanScope(new UUID(0, 0), Optional.empty(), List.of());

    public PlanScope {
        unavailable = List.copyOf(unavailable);
    }

    /** Whether what {@code node} needs is planned. */
    boolean includes(Node node) {
        return destination.isEmpty() || destination.get().equals(node);
    }

    /** Who may not send {@code table}. */
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
