package io.sluice.harness.agent;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.content.RangeDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Requests of a coordinator to an agent, and the answers: the bodies of its admin endpoint. */
public final class AgentMessages {
    private AgentMessages() {}

    /**
     * An agent and its node. Immutable.
     *
     * @param agent its own id and streaming address
     * @param endpoint of the node in the ring: {@code host:port}
     * @param readsOa whether the node's settings let it read {@code oa} and {@code da} SSTables
     * @param volumes room on each data directory of the node
     * @param changing nodes that join, leave or move
     * @param replaces the node whose place it was started to take, as {@code host:port}; empty if none, or without hook
     * @param operation whose snapshots or received data this agent keeps
     */
    public record Status(
            Node agent,
            String endpoint,
            String release,
            OperationMode mode,
            String schemaVersion,
            boolean readsOa,
            List<VolumeStatus> volumes,
            long writeTimeoutMillis,
            List<String> live,
            List<String> unreachable,
            List<String> changing,
            List<TableRef> tables,
            Optional<Hook> hook,
            Optional<String> replaces,
            Optional<UUID> operation) {}

    /**
     * The hook of a node.
     *
     * @param plan keyspace, source, ranges
     * @param marked keyspace, ranges
     */
    public record Hook(
            HookState state,
            String holdId,
            String operation,
            long heldMillis,
            String reason,
            Map<String, Map<String, List<String>>> plan,
            Map<String, List<String>> marked) {}

    /** Requests the natural and pending replicas of a keyspace. */
    public record Keyspace(String keyspace) {}

    /**
     * Replicas by range, as {@code (start,end]}.
     *
     * @param pending nodes that get every write of a range already
     */
    public record Replicas(Map<String, List<String>> natural, Map<String, List<String>> pending) {}

    /** Requests the size of ranges of a keyspace. */
    public record SizeOrder(String keyspace, List<TokenRange> ranges) {}

    /** Bytes by table, estimated. */
    public record Sizes(Map<String, Long> bytes) {}

    /**
     * Requests snapshots of tables for a node.
     *
     * @param target the id of the agent that may fetch them
     */
    public record Pin(UUID operation, UUID target, List<TableRef> tables) {}

    /**
     * What was pinned of a table.
     *
     * @param versions formats of its SSTables, as {@code nb}
     * @param hasPendingRepair whether one waits for the end of an incremental repair
     */
    public record Pinned(TableRef table, int sstables, long bytes, List<String> versions, boolean hasPendingRepair) {}

    /** Requests to release the snapshots of tables. */
    public record Unpin(UUID operation, List<TableRef> tables) {}

    /** Requests digests of ranges of pinned tables. */
    public record DigestOrder(UUID operation, TableRef table, List<TokenRange> ranges) {}

    /**
     * Requests to fetch a plan from another agent. States the ranges once, however many tables there are.
     *
     * @param coordinator that has begun at this agent
     * @param ranges of each table
     */
    public record Fetch(
            UUID coordinator,
            UUID operation,
            UUID planId,
            Operation kind,
            Node source,
            List<TableRef> tables,
            TokenRanges ranges) {
        public Fetch {
            tables = List.copyOf(tables);
        }

        /** One for each table. */
        List<StreamRequest> requests() {
            return tables.stream()
                    .map(table -> new StreamRequest(source, table, ranges))
                    .toList();
        }
    }

    /**
     * How far a plan is.
     *
     * @param bytesTotal 0 until the source has said
     * @param result there once it has ended
     */
    public record Progress(long bytesTotal, long bytesReceived, Optional<PlanResult> result) {}

    /** Requests to cancel a plan. */
    public record Cancel(UUID planId) {}

    /** Requests digests of ranges that a plan has brought. */
    public record LandedOrder(UUID planId, TableRef table, List<TokenRange> ranges) {}

    /** Digests, in the order of the request. */
    public record Digests(List<RangeDigest> ranges, int sstables, long bytes) {}

    /**
     * Requests to import, at once, all SSTables that these plans have brought.
     *
     * @param coordinator that has begun at this agent
     * @param planIds each of which has brought something
     * @param sstables that were verified
     * @param bytes of these
     */
    public record Import(UUID coordinator, List<UUID> planIds, TableRef table, int sstables, long bytes) {
        public Import {
            planIds = List.copyOf(planIds);
        }
    }

    /** Begins: removes what was received for others and not imported, and refuses their orders from then on. */
    public record Discard(UUID coordinator) {}

    /** What was imported. */
    public record Imported(int sstables, long bytes) {}

    /**
     * Reports that these ranges are complete at this node.
     *
     * @param coordinator that has begun at this agent
     */
    public record Mark(UUID coordinator, String holdId, String keyspace, List<String> ranges) {}

    /**
     * Requests to carry out a request that may take hours; repeating it has no further effect.
     *
     * @param id chosen by the coordinator, which asks for the answer by it
     * @param request such as {@code POST /import}
     */
    public record Task(UUID id, String request, JsonNode body) {}

    /**
     * How a task is.
     *
     * @param answer of its request; empty while it runs
     */
    public record TaskState(Optional<JsonNode> answer) {
        public TaskState {
            answer = answer.filter(found -> !found.isNull()); // as the absence of it is read
        }
    }

    /** Lets the node continue, with a reason if the operation is aborted. */
    public record LetGo(String holdId, Optional<String> abortReason) {}

    /** Requests to remove everything that is left of an operation. */
    public record End(UUID operation) {}
}
