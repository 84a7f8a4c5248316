package io.sluice.harness.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.harness.admin.AdminRequests;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** The plans that a node fetches, and the most recent that it fetched, by plan id. Thread-safe. */
final class Fetches {
    private static final int MAX_KEPT = 64;

    private final Function<AdminRequests.Fetch, Fetch> starter;

    @GuardedBy("this")
    private final Map<UUID, Fetch> byPlan = new LinkedHashMap<>();

    Fetches(Function<AdminRequests.Fetch, Fetch> starter) {
        this.starter = starter;
    }

    /** Starts a plan; starting the same plan again has no effect. */
    synchronized Fetch begin(AdminRequests.Fetch order) {
        Fetch known = byPlan.get(order.planId());
        if (known != null) {
            return known;
        }
        if (byPlan.size() >= MAX_KEPT) {
            UUID oldest = byPlan.entrySet().stream()
                    .filter(fetch -> fetch.getValue().hasEnded())
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseThrow(() ->
                            new IllegalStateException(MAX_KEPT + " plans are already running (wait until one ends)"));
            byPlan.remove(oldest);
        }
        Fetch begun = starter.apply(order);
        byPlan.put(order.planId(), begun);
        return begun;
    }

    /**
     * The fetch of this plan.
     *
     * @throws IllegalArgumentException if the plan is unknown
     */
    synchronized Fetch of(UUID planId) {
        Fetch known = byPlan.get(planId);
        if (known == null) {
            throw new IllegalArgumentException(
                    "plan " + planId + ": unknown at this node (expected: one of " + byPlan.keySet() + ")");
        }
        return known;
    }

    /** All fetches, the most recent last. */
    synchronized List<Fetch> all() {
        return List.copyOf(byPlan.values());
    }
}
