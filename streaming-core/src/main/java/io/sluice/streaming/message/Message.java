package io.sluice.streaming.message;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.SSTableSpan;
import java.util.List;
import java.util.UUID;

/** Everything that two nodes say to each other. Byte layouts: the package's description. All are immutable. */
public sealed interface Message {

    /** What a connection is for. */
    enum Role {
        /** Carries the messages of one session, both ways. */
        CONTROL(0),
        /** Carries extents of one session, from source to target. */
        DATA(1),
        /** Carries questions of a planner and their answers. */
        QUERY(2);

        private final int code;

        Role(int code) {
            this.code = code;
        }

        /** The number on the wire. */
        int code() {
            return code;
        }
    }

    /**
     * First on every connection, from the node that opened it.
     *
     * @param target the node that is meant: another one that answers refuses
     * @param planId the plan of the session; of a query: any
     * @param connection which data connection of the session, from 0; 0 for other roles
     */
    record Hello(String clusterName, UUID sender, UUID target, Role role, UUID planId, int connection)
            implements Message {}

    /** The answer to a hello that is accepted. */
    record Welcome(UUID node) implements Message {}

    /** Asks for the spans of a table's SSTables that hold partitions in some ranges. */
    record SpansQuery(UUID tableId, TokenRanges ranges) implements Message {}

    /** The answer to a {@link SpansQuery}. */
    record Spans(List<SSTableSpan> spans) implements Message {
        public Spans {
            spans = List.copyOf(spans);
        }
    }

    /** Opens a session: the operation by its code. */
    record StreamInit(int operation) implements Message {}

    /** Requests ranges of tables: the initiator wants to receive them. */
    record PrepareSyn(List<TableRequest> requests) implements Message {
        public PrepareSyn {
            requests = List.copyOf(requests);
        }
    }

    /** One table's part of a {@link PrepareSyn}. */
    record TableRequest(UUID tableId, TokenRanges ranges) {}

    /** One page of what the follower will send. */
    record PrepareSynAck(List<SSTableOffer> offers, boolean last) implements Message {
        public PrepareSynAck {
            offers = List.copyOf(offers);
        }
    }

    /** The initiator has room for everything offered, and will fetch it. */
    record PrepareAck() implements Message {}

    /** Asks for extents, on the data connection that shall carry them, in this order. */
    record Fetch(List<Extent> extents) implements Message {
        public Fetch {
            extents = List.copyOf(extents);
        }
    }

    /** Announces that the bytes of one extent follow, as they are in the file. */
    record Stream(Extent extent) implements Message {}

    /** An offered SSTable has arrived, is verified and durable, but not live. */
    record Received(int offer) implements Message {}

    /** All SSTables of the table are durable and live at the receiver: the source may unpin them. */
    record Installed(UUID tableId) implements Message {}

    /** The source has seen everything installed; the session is over. */
    record Complete() implements Message {}

    /** The session is over and failed; nothing that is not installed yet will be. */
    record SessionFailed(ErrorCode code, String reason) implements Message {}

    /** Says that the sender is alive. */
    record KeepAlive() implements Message {}
}
