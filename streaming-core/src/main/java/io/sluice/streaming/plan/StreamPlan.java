package io.sluice.streaming.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * One operation's whole streaming job, as the node that executes it sees it. Immutable.
 *
 * @param id unique; the same plan executed twice has no further effect
 * @param requests what to fetch, at most one per source and table
 */
public record StreamPlan(UUID id, Operation operation, List<StreamRequest> requests) {
    public StreamPlan {
        requests = List.copyOf(requests);
        Set<List<Object>> asked = new HashSet<>();
        for (StreamRequest request : requests) {
            if (!asked.add(List.of(request.source(), request.table().id()))) {
                throw new IllegalArgumentException("plan " + id + ": two requests for " + request.table() + " from "
                        + request.source() + " (expected: one, with all its ranges)");
            }
        }
    }
}
