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
 * @param alternates who else may be asked, and for what, should a source of {@code requests} fail; the better ones
 *     first
 * @param epoch the fence of the operation: of two that fetch the same ranges to one node the one with the greater epoch
 *     counts, and the other gets nothing more installed; 0 if the database gives no epochs. Not negative
 */
public record StreamPlan(
        UUID id, Operation operation, List<StreamRequest> requests, List<StreamRequest> alternates, long epoch) {
    /** A plan that fails where a source fails. */
    public StreamPlan(UUID id, Operation operation, List<StreamRequest> requests) {
        this(id, operation, requests, List.of());
    }

    /** A plan of a database that gives no epochs. */
    public StreamPlan(UUID id, Operation operation, List<StreamRequest> requests, List<StreamRequest> alternates) {
        this(id, operation, requests, alternates, 0);
    }

    public StreamPlan {
        if (epoch < 0) {
            throw new IllegalArgumentException("epoch: " + epoch + " (expected: at least 0)");
        }
        requests = List.copyOf(requests);
        alternates = List.copyOf(alternates);
        Set<List<Object>> asked = new HashSet<>();
        for (StreamRequest request : requests) {
            if (!asked.add(List.of(request.source(), request.table().id()))) {
                throw new IllegalArgumentException("plan " + id + ": two requests for " + request.table() + " from "
                        + request.source() + " (expected: one, with all its ranges)");
            }
        }
    }
}
