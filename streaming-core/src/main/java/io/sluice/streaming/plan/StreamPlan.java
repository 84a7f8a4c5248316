package io.sluice.streaming.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Everything that one node fetches for one operation. Immutable.
 *
 * @param id unique; the same plan executed twice has no further effect
 * @param requests what to fetch from other nodes, at most one per source and table
 * @param alternates requests to alternate replicas, used if a source of {@code requests} fails; in order of preference
 * @param epoch the fence of the operation: of two operations that fetch the same ranges to one node, only the one with
 *     the greater epoch may install. Not negative; 0 if the database has no epochs
 */
public record StreamPlan(
        UUID id, Operation operation, List<StreamRequest> requests, List<StreamRequest> alternates, long epoch) {
    /** A plan without alternates: it fails if a source fails. */
    public StreamPlan(UUID id, Operation operation, List<StreamRequest> requests) {
        this(id, operation, requests, List.of());
    }

    /** A plan of a database without epochs. */
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
