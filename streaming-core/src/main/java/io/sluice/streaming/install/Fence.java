package io.sluice.streaming.install;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The epoch of an operation for some ranges of one table. Immutable.
 *
 * @param epoch at least 0; 0 if the database has no epochs; then nothing is fenced
 */
public record Fence(UUID tableId, TokenRanges ranges, long epoch) {
    /** The fences of a plan, by table. */
    public static Map<UUID, Fence> of(StreamPlan plan) {
        Map<UUID, Fence> fences = new LinkedHashMap<>();
        for (StreamRequest request : plan.requests()) {
            UUID table = request.table().id();
            fences.merge(
                    table,
                    new Fence(table, request.ranges(), plan.epoch()),
                    (one, other) -> new Fence(table, one.ranges().union(other.ranges()), plan.epoch()));
        }
        return fences;
    }

    /** The fence of an operation of a database without epochs. */
    public static Fence none(UUID tableId) {
        return new Fence(tableId, TokenRanges.NONE, 0);
    }
}
