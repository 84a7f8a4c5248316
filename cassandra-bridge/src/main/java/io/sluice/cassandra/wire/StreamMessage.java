package io.sluice.cassandra.wire;

import io.sluice.sstable.token.TokenRanges;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A message between two Cassandra nodes that stream. Immutable. */
public sealed interface StreamMessage permits StreamMessage.Control, FileHeader {
    /** A message on the control connection. */
    sealed interface Control extends StreamMessage {}

    /**
     * The first message of a session.
     *
     * @param from identity of the initiator
     * @param sessionIndex 0, 1, ... for sessions of one plan between the same two nodes
     * @param planId a UUID of version 1; a node refuses any other
     * @param operation {@code Bulk Load}, {@code Rebuild}, ...
     * @param pendingRepair of the session, if any
     * @param previewKind 0 if files follow
     */
    record StreamInit(
            InetSocketAddress from,
            int sessionIndex,
            UUID planId,
            String operation,
            Optional<UUID> pendingRepair,
            int previewKind)
            implements Control {
        /** Operation whose received rows are also written through views. */
        public static final String BULK_LOAD = "Bulk Load";
        /** Operation for which a node sends requested SSTables unchanged, with their level. */
        public static final String REBUILD = "Rebuild";
    }

    /** What the initiator requests, and what it will send. */
    record PrepareSyn(List<RangeRequest> requests, List<Summary> summaries) implements Control {
        public PrepareSyn {
            requests = List.copyOf(requests);
            summaries = List.copyOf(summaries);
        }
    }

    /** What the follower will send. */
    record PrepareSynAck(List<Summary> summaries) implements Control {
        public PrepareSynAck {
            summaries = List.copyOf(summaries);
        }
    }

    /** The initiator knows what it will receive. */
    record PrepareAck() implements Control {}

    /** The bytes of a file were received; they are not durable yet. */
    record Received(UUID tableId, int sequence) implements Control {}

    /** From the follower: everything announced to it is durable and live, and everything it announced was received. */
    record Complete() implements Control {}

    /** The session failed; the log of the sending node says why. */
    record SessionFailed() implements Control {}

    /** A heartbeat. */
    record KeepAlive() implements Control {}

    /**
     * A request for ranges.
     *
     * @param endpoint the node that requests them
     * @param tables of the keyspace; empty for all
     */
    record RangeRequest(String keyspace, InetSocketAddress endpoint, TokenRanges ranges, List<String> tables) {
        public RangeRequest {
            tables = List.copyOf(tables);
        }
    }

    /**
     * An announcement for one table.
     *
     * @param files the exact number that will be sent: components of whole SSTables, 1 for a slice
     * @param lengthBytes of them, for progress
     */
    record Summary(UUID tableId, int files, long lengthBytes) {}
}
