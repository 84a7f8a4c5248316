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
 * Since when this node has had every write to ranges of its tables, as who sends the writes has told it. In memory:
 * what a node missed while it was down is a gap, so each start begins with none. Thread-safe.
 */
final class WriteParticipation {
    private record Part(TokenRanges ranges, Instant since) {}

    @GuardedBy("this")
    private final Map<UUID, List<Part>> tables = new HashMap<>();

    /**
     * From {@code now} on all writes to {@code ranges} come here, and none to others. Of those that came before, too,
     * it stays known since when.
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

    /** A write of this table was not kept: what is known of it until now counts no more. */
    synchronized void lost(UUID tableId) {
        tables.remove(tableId);
    }

    /** The latest beginning of all parts of {@code ranges}; empty if there is a part of which writes do not come. */
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
