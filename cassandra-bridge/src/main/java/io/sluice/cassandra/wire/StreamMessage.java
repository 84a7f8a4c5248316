package io.sluice.cassandra.wire;

import io.sluice.sstable.token.TokenRanges;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What two Cassandra nodes say to each other while they stream. Immutable. */
public sealed interface StreamMessage permits StreamMessage.Control, FileHeader {
    /** What flows on the control connection. */
    sealed interface Control extends StreamMessage {}

    /**
     * The first message of a session.
     *
     * @param from identity of the initiator
     * @param sessionIndex 0, 1, ... for sessions of one plan between the same two
     * @param planId a version-1 UUID, or a node refuses it
     * @param operation {@code Bulk Load}, {@code Rebuild}, ...
     * @param pendingRepair of the session, if any
     * @param previewKind 0 when files are to flow
     */
    record StreamInit(
            InetSocketAddress from,
            int sessionIndex,
            UUID planId,
            String operation,
            Optional<UUID> pendingRepair,
            int previewKind)
            implements Control {
        /** Received rows go through views as well. */
        public static final String BULK_LOAD = "Bulk Load";
        /** What is asked of a node is sent as it lies there, with its level. */
        public static final String REBUILD = "Rebuild";
    }

    /** What the initiator wants, and what it is about to send. */
    record PrepareSyn(List<RangeRequest> requests, List<Summary> summaries) implements Control {
        public PrepareSyn {
            requests = List.copyOf(requests);
            summaries = List.copyOf(summaries);
        }
    }

    /** What the follower is about to send. */
    record PrepareSynAck(List<Summary> summaries) implements Control {
        public PrepareSynAck {
            summaries = List.copyOf(summaries);
        }
    }

    /** The initiator knows what will come. */
    record PrepareAck() implements Control {}

    /** The bytes of a file have arrived; they are not yet durable. */
    record Received(UUID tableId, int sequence) implements Control {}

    /** From the follower: all it was promised is durable and live, and all it promised was received. */
    record Complete() implements Control {}

    /** The session is lost; why stands in the log of the node that says so. */
    record SessionFailed() implements Control {}

    /** Nothing to say. */
    record KeepAlive() implements Control {}

    /**
     * A wish for ranges.
     *
     * @param endpoint who wants them
     * @param tables of the keyspace; none for all
     */
    record RangeRequest(String keyspace, InetSocketAddress endpoint, TokenRanges ranges, List<String> tables) {
        public RangeRequest {
            tables = List.copyOf(tables);
        }
    }

    /**
     * A promise for one table.
     *
     * @param files that will come, exactly: components of whole SSTables, 1 for a part of one
     * @param lengthBytes of them, for progress
     */
    record Summary(UUID tableId, int files, long lengthBytes) {}
}
