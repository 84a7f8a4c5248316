package io.sluice.harness.admin;

import io.sluice.harness.content.StoredDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The bodies of requests of administrators to a node, and of clients to its database: one kind for each verb. */
public final class AdminRequests {
    private AdminRequests() {}

    /** "There is a table with these columns." Immutable. */
    public record CreateTable(TableRef table, String cql) {}

    /**
     * "Keep these." Immutable.
     *
     * @param mutations in base64, one after another; see the codec of the store
     */
    public record Write(UUID tableId, String mutations) {}

    /**
     * "What have you of these partitions?" Immutable.
     *
     * @param keys UTF-8, of a table with one text column as its partition key
     */
    public record Read(UUID tableId, List<String> keys) {
        public Read {
            keys = List.copyOf(keys);
        }
    }

    /**
     * Partitions. Immutable.
     *
     * @param mutations in base64, one after another; see the codec of the store
     */
    public record Found(String mutations) {}

    /** Asks for digests of what a node has of these ranges, range by range. Immutable. */
    public record Digest(UUID tableId, List<TokenRange> ranges) {
        public Digest {
            ranges = List.copyOf(ranges);
        }
    }

    /** How a node stores a range; empty if some of it may be in memory only. Immutable. */
    public record Stored(Optional<StoredDigest> digest) {}

    /** "Do it to this table": truncate, drop or compact. Immutable. */
    public record OnTable(UUID tableId) {}

    /**
     * "From now on all writes to these ranges come to you, and no others." Immutable.
     *
     * @param hasMissed whether a write to the table did not reach the node since the last such request
     */
    public record TakePart(UUID tableId, List<TokenRange> ranges, boolean hasMissed) {
        public TakePart {
            ranges = List.copyOf(ranges);
        }
    }

    /**
     * "Fetch what a change of the ring makes you need." Immutable.
     *
     * @param rings each with its tables: all that the change concerns, since a new node knows none
     */
    public record Fetch(UUID planId, TopologyChange change, List<RingTables> rings) {
        public Fetch {
            rings = List.copyOf(rings);
        }

        /** Names equal rings once, as their tokens are most of an order's bytes. */
        public static Fetch of(UUID planId, TopologyChange change, Map<TableRef, RingView> rings) {
            Map<RingView, List<TableRef>> tables = new LinkedHashMap<>();
            rings.forEach((table, ring) ->
                    tables.computeIfAbsent(ring, any -> new ArrayList<>()).add(table));
            return new Fetch(
                    planId,
                    change,
                    tables.entrySet().stream()
                            .map(shared -> new RingTables(shared.getKey(), shared.getValue()))
                            .toList());
        }
    }

    /** "End this plan." Immutable. */
    public record Cancel(UUID planId) {}

    /** "Ask for nothing more of this plan", or "go on with it". Immutable. */
    public record Pause(UUID planId, boolean isPaused) {}

    /** "This plan is as urgent as that from now on." Immutable. */
    public record Prioritize(UUID planId, Priority priority) {}

    /** Sets one limit of a node, in bytes per second; 0 for none. */
    public record Throughput(Limit limit, long bytesPerSecond) {}

    /** "Let the disk write no more of what is streamed in a second than this." 0 for no limit. Immutable. */
    public record DiskRate(long bytesPerSecond) {}

    /**
     * "Let this peer in again." Immutable.
     *
     * @param who as {@link HoldStatus} has it
     */
    public record ClearHold(String who) {}
}
