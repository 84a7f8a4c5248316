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
 * @param spares who else may be asked, and for what, should a source of {@code requests} fail; the better ones first
 */
public record StreamPlan(UUID id, Operation operation, List<StreamRequest> requests, List<StreamRequest> spares) {
    /** A plan that fails where a source fails. */
    public StreamPlan(UUID id, Operation operation, List<StreamRequest> requests) {
        this(id, operation, requests, List.of());
    }

    public StreamPlan {
        requests = List.copyOf(requests);
        spares = List.copyOf(spares);
        Set<List<Object>> asked = new HashSet<>();
        for (StreamRequest request : requests) {
            if (!asked.add(List.of(request.source(), request.table().id()))) {
                throw new IllegalArgumentException("plan " + id + ": two requests for " + request.table() + " from "
                        + request.source() + " (expected: one, with all its ranges)");
            }
        }
    }
}
