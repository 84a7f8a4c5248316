package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.token.TokenRanges;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Since when this node has received every write to ranges of its tables, as reported by the write coordinator. Kept in
 * memory: writes missed while the node was down are a gap, so each start begins with none. Thread-safe.
 */
final class WriteParticipation {
    private record Part(TokenRanges ranges, Instant since) {}

    @GuardedBy("this")
    private final Map<UUID, List<Part>> tables = new HashMap<>();

    /**
     * From {@code now} on all writes to {@code ranges}, and no others, come here. Ranges that already received writes
     * keep their earlier time.
     */
    synchronized void begin(UUID tableId, TokenRanges ranges, Instant now) {
        List<Part> parts = new ArrayList<>();
        TokenRanges added = ranges;
        for (Part part : tables.getOrDefault(tableId, List.of())) {
            TokenRanges still = part.ranges().intersection(ranges);
            if (!still.isEmpty()) {
                parts.add(new Part(still, part.since()));
            }
            added = added.minus(part.ranges());
        }
        if (!added.isEmpty()) {
            parts.add(new Part(added, now));
        }
        tables.put(tableId, parts);
    }

    /** A write to this table was lost: earlier reports no longer count. */
    synchronized void lost(UUID tableId) {
        tables.remove(tableId);
    }

    /** The latest start among all of {@code ranges}; empty if writes to some of them do not come here. */
    synchronized Optional<Instant> since(UUID tableId, TokenRanges ranges) {
        TokenRanges missing = ranges;
        Optional<Instant> latest = Optional.empty();
        for (Part part : tables.getOrDefault(tableId, List.of())) {
            if (!part.ranges().intersection(ranges).isEmpty()) {
                missing = missing.minus(part.ranges());
                latest = latest.filter(known -> known.isAfter(part.since())).or(() -> Optional.of(part.since()));
            }
        }
        return missing.isEmpty() ? latest : Optional.empty();
    }
}
