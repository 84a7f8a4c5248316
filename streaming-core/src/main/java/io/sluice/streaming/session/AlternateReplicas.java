package io.sluice.streaming.session;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Chooses alternate replicas for a failed source. Immutable.
 *
 * @param requests requests to alternates, in order of preference
 */
record AlternateReplicas(List<StreamRequest> requests) {
    /**
     * Requests to other sources that cover all of {@code ranges}; empty if no other source has some of them.
     *
     * @param isOut which nodes are excluded
     */
    Optional<List<StreamRequest>> others(TableRef table, TokenRanges ranges, Predicate<UUID> isOut) {
        Map<Node, TokenRanges> bySource = new LinkedHashMap<>();
        TokenRanges left = ranges;
        for (StreamRequest spare : requests) {
            if (!spare.table().equals(table) || isOut.test(spare.source().id())) {
                continue;
            }
            TokenRanges taken = left.intersection(spare.ranges());
            if (!taken.isEmpty()) {
                bySource.merge(spare.source(), taken, TokenRanges::union);
                left = left.minus(taken);
            }
        }
        List<StreamRequest> others = new ArrayList<>();
        bySource.forEach((source, taken) -> others.add(new StreamRequest(source, table, taken)));
        return left.isEmpty() ? Optional.of(others) : Optional.empty();
    }
}
