package io.sluice.streaming.plan;

import java.util.List;
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
    }
}
