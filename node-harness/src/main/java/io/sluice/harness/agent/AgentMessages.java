package io.sluice.harness.agent;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.content.StoredDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
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
     * @param pins that this agent keeps as a source
     * @param datacenter of the node
     * @param rebuild of the node that has begun, and is not over
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
            Optional<Pins> pins,
            String datacenter,
            Optional<Rebuild> rebuild) {}

    /**
     * Snapshots of a source.
     *
     * @param operation that has pinned them
     * @param target the id of the agent that may fetch them
     */
    public record Pins(UUID operation, UUID target) {}

    /**
     * A rebuild of a node that is a member already.
     *
     * @param operation of the pins
     * @param sinceMillis for how long
     * @param marked ranges that are complete, by keyspace
     */
    public record Rebuild(UUID operation, long sinceMillis, Map<String, List<String>> marked) {}

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
     * @param tables of which the source has offered something
     * @param waiting of the session that waits for the longest time; empty if none waits
     * @param limitBytesPerSecond of all that this agent receives; 0 for none
     * @param volumes of this node
     * @param result there once it has ended
     */
    public record Progress(
            List<TableProgress> tables,
            Optional<NamedWait> waiting,
            long limitBytesPerSecond,
            List<VolumeStatus> volumes,
            Optional<PlanResult> result) {}

    /** What a session waits for, and for how long it has. */
    public record NamedWait(String what, long seconds) {}

    /**
     * Requests to fetch nothing more for an operation, or to go on.
     *
     * @param operation for which the node waits, or is rebuilt, now
     */
    public record Pause(UUID operation, boolean isPaused) {}

    /**
     * Sets the limit of all that this agent receives while its node waits.
     *
     * @param operation for which the node waits, or is rebuilt, now
     * @param bytesPerSecond 0 for none
     */
    public record Throughput(UUID operation, long bytesPerSecond) {}

    /** Requests to cancel a plan. */
    public record Cancel(UUID planId) {}

    /** Requests digests of ranges that a plan has brought. */
    public record LandedOrder(UUID planId, TableRef table, List<TokenRange> ranges) {}

    /** Digests of rows, in the order of the request. */
    public record Digests(List<RangeDigest> ranges, int sstables, long bytes) {}

    /** Digests of ranges as they are stored, in the order of the request. */
    public record StoredDigests(List<StoredDigest> ranges, int sstables, long bytes) {
        public StoredDigests {
            ranges = List.copyOf(ranges);
        }
    }

    /**
     * What a source gave of a table, with digests that are equal to those of what it had pinned.
     *
     * @param source endpoint of its node
     * @param ranges how many, each with a digest of its own
     * @param byRows how many of them are not stored alike, and have equal digests of rows
     * @param landedSSTables 0 if the source has nothing in these ranges
     * @param digest of the digests of the ranges
     */
    public record Proof(
            UUID planId,
            String source,
            int ranges,
            int byRows,
            int pinnedSSTables,
            long pinnedBytes,
            int landedSSTables,
            long landedBytes,
            String digest) {}

    /**
     * Requests to import, at once, all SSTables that some plans have brought.
     *
     * @param coordinator that has begun at this agent
     * @param proofs one for each source of the table
     */
    public record Import(UUID coordinator, TableRef table, List<Proof> proofs) {
        public Import {
            proofs = List.copyOf(proofs);
        }

        /** Plans that have brought something. */
        List<UUID> planIds() {
            return proofs.stream()
                    .filter(proof -> proof.landedSSTables() > 0)
                    .map(Proof::planId)
                    .toList();
        }

        /** SSTables that were verified. */
        int sstables() {
            return proofs.stream().mapToInt(Proof::landedSSTables).sum();
        }

        /** Bytes of these. */
        long bytes() {
            return proofs.stream().mapToLong(Proof::landedBytes).sum();
        }
    }

    /**
     * Begins: ends and removes what was received for others, and refuses their orders from then on.
     *
     * @param keep an operation of which what runs, has landed or was imported is kept
     */
    public record Discard(UUID coordinator, Optional<UUID> keep) {}

    /** Requests what is there of an operation. */
    public record ArrivalsOrder(UUID operation) {}

    /** What is there of an operation. */
    public record Arrivals(List<Fetching> fetching, List<Landed> landed) {}

    /**
     * A plan that runs.
     *
     * @param source id of the agent that sends
     */
    public record Fetching(UUID planId, UUID source, List<TableRef> tables, TokenRanges ranges) {}

    /**
     * All that a plan has brought of a table from one source.
     *
     * @param source id of the agent that has sent it
     * @param bytes of its files
     * @param imported of what is in the table already; empty if it waits for its import
     */
    public record Landed(
            UUID planId, UUID source, TableRef table, TokenRanges ranges, long bytes, Optional<Proof> imported) {}

    /** What was imported. */
    public record Imported(int sstables, long bytes) {}

    /**
     * Reports that these ranges are complete at this node.
     *
     * @param holdId of the hook, or the operation of a rebuild
     * @param coordinator that has begun at this agent
     */
    public record Mark(UUID coordinator, String holdId, String keyspace, List<String> ranges) {}

    /**
     * Requests to carry out a request that may take hours; repeating it has no further effect.
     *
     * @param coordinator that asks for the answer, and for nothing else once another one has begun
     * @param id chosen by the coordinator, which asks for the answer by it
     * @param request such as {@code POST /import}
     */
    public record Task(UUID coordinator, UUID id, String request, JsonNode body) {}

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
