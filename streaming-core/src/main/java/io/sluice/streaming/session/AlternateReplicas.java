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
 * Whom to ask instead of a source that failed. Immutable.
 *
 * @param requests what others have; the better ones first
 */
record AlternateReplicas(List<StreamRequest> requests) {
    /**
     * Requests to other sources for all of {@code ranges}; empty if some of it nobody else has.
     *
     * @param isOut which nodes are not to be asked
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
