package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.planner.SSTableSpan;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The messages between two nodes. The package description has their byte layouts. All are immutable. */
public sealed interface Message {

    /** What a connection is for. */
    enum Role {
        /** Carries the messages of one session, both ways. */
        CONTROL(0),
        /** Carries extents of one session, from source to target. */
        DATA(1),
        /** Carries queries of a planner and their answers. */
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
     * The first message of every connection, sent by the node that opened it.
     *
     * @param target the intended receiver; any other node refuses
     * @param planId the plan of the session; any id for a query
     * @param session the session of the two nodes in that plan
     * @param connectionOrOffer for a data connection: its number in the session, from 0; for others: the protocol
     *     versions of the sender, encoded by {@link ProtocolVersions#offer}
     */
    record Hello(
            Cluster cluster,
            UUID sender,
            UUID target,
            Role role,
            UUID planId,
            SessionNumber session,
            int connectionOrOffer)
            implements Message {
        /** The protocol versions of the sender; empty for a data connection, which uses the version of its session. */
        public Optional<ProtocolVersions> versions() {
            return role == Role.DATA ? Optional.empty() : Optional.of(ProtocolVersions.of(connectionOrOffer));
        }
    }

    /**
     * The identity of a cluster. Nodes of different clusters do not stream to each other.
     *
     * @param name 1 to 256 characters
     * @param id distinguishes clusters of the same name; {@link #NO_ID} if the database has none
     * @param partitioner maps keys to tokens; tokens of different partitioners are not comparable
     */
    record Cluster(String name, UUID id, String partitioner) {
        /** For a database without cluster ids; matches every id. */
        public static final UUID NO_ID = new UUID(0, 0);

        /** The default partitioner. */
        static final String MURMUR3 = "Murmur3Partitioner";

        /** A cluster without id, with the default partitioner. */
        public static Cluster named(String name) {
            return new Cluster(name, NO_ID, MURMUR3);
        }

        /** Describes the difference to {@code other}; empty if they are the same cluster. */
        public Optional<String> difference(Cluster other) {
            if (!name.equals(other.name)) {
                return Optional.of("cluster '" + other.name + "' (expected: '" + name + "')");
            }
            if (!id.equals(other.id) && !id.equals(NO_ID) && !other.id.equals(NO_ID)) {
                return Optional.of(
                        "another cluster with the name '" + name + "', id " + other.id + " (expected: " + id + ")");
            }
            return partitioner.equals(other.partitioner)
                    ? Optional.empty()
                    : Optional.of("partitioner '" + other.partitioner + "' (expected: '" + partitioner
                            + "'); their tokens are not comparable");
        }
    }

    /**
     * Identifies an attempt at a session of two nodes in one plan. Messages of older attempts are ignored.
     *
     * @param index 0 to 65,535; several sessions of one plan with one peer fetch different ranges
     * @param attempt 0 to 65,535; increases with each retry of a session
     */
    record SessionNumber(int index, int attempt) {
        /** The maximum index and attempt. */
        static final int MAX = 0xffff;

        /** The number of a query, and of the first attempt of session 0. */
        public static final SessionNumber FIRST = new SessionNumber(0, 0);

        public SessionNumber {
            if (index < 0 || index > MAX || attempt < 0 || attempt > MAX) {
                throw new IllegalArgumentException(
                        "session " + index + ", attempt " + attempt + " (expected: 0 to " + MAX + ")");
            }
        }
    }

    /**
     * The answer to an accepted hello.
     *
     * @param features the upper two bytes have the protocol versions of the node, encoded by
     *     {@link ProtocolVersions#offer}; the lower bits are for optional features, none so far. Unknown bits are
     *     ignored
     */
    record Welcome(UUID node, long features) implements Message {
        private static final int OFFER_SHIFT = 48;

        /** From a node with these protocol versions and without optional features. */
        public static Welcome from(UUID node, ProtocolVersions versions) {
            return new Welcome(node, (long) versions.offer() << OFFER_SHIFT);
        }

        /** The protocol versions of the node. */
        public ProtocolVersions versions() {
            return ProtocolVersions.of((int) (features >>> OFFER_SHIFT));
        }
    }

    /**
     * Requests the spans of the SSTables that hold partitions in some ranges of some tables. The next query of a
     * connection must follow the last page of the answer to this one.
     *
     * @param tables each table once
     */
    record SpansQuery(List<TableRanges> tables) implements Message {
        public SpansQuery {
            tables = List.copyOf(tables);
        }
    }

    /** Ranges of one table. */
    record TableRanges(UUID tableId, TokenRanges ranges) {}

    /**
     * One page of the answer to a {@link SpansQuery}: its tables in order, the last of which may continue in the next
     * page.
     */
    record Spans(List<TableSpans> tables, boolean last) implements Message {
        public Spans {
            tables = List.copyOf(tables);
        }
    }

    /** Spans of SSTables of one table. */
    record TableSpans(UUID tableId, List<SSTableSpan> spans) {
        public TableSpans {
            spans = List.copyOf(spans);
        }
    }

    /**
     * Opens a session.
     *
     * @param operation by its code, 0 to 65,535
     * @param receiver features of the receiver
     * @param roomBytes free space of the receiver: a source that would send more prepares nothing
     */
    record StreamInit(int operation, ReceiverFeatures receiver, long roomBytes) implements Message {
        /** For a receiver that does not report its free space. */
        public static final long ANY_ROOM = Long.MAX_VALUE;

        static final int FEATURES_SHIFT = 16;

        /** The maximum operation code. */
        public static final int MAX_OPERATION = (1 << FEATURES_SHIFT) - 1;

        public StreamInit {
            if (operation < 0 || operation > MAX_OPERATION) {
                throw new IllegalArgumentException(
                        "operation: " + operation + " (expected: 0 to " + MAX_OPERATION + ")");
            }
        }

        /** From a receiver without features that does not report its free space. */
        public StreamInit(int operation) {
            this(operation, ReceiverFeatures.NONE, ANY_ROOM);
        }
    }

    /**
     * Requests ranges of tables, which the initiator wants to receive; paged: several pages may have ranges of one
     * table.
     */
    record PrepareSyn(List<TableRequest> requests, boolean last) implements Message {
        public PrepareSyn {
            requests = List.copyOf(requests);
        }
    }

    /**
     * One table's part of a {@link PrepareSyn}.
     *
     * @param schemaDigest the receiver's schema digest of the table, 0 if it has none: a source with another digest
     *     refuses the table
     */
    record TableRequest(UUID tableId, long schemaDigest, TokenRanges ranges) {
        /** A request without a schema digest. */
        public TableRequest(UUID tableId, TokenRanges ranges) {
            this(tableId, 0, ranges);
        }
    }

    /**
     * One page of the follower's offers.
     *
     * @param isFetchable whether the initiator may fetch these and all earlier offers now, although others are still
     *     prepared; always after the last page, and otherwise only for a receiver that
     *     {@link ReceiverFeatures#fetchesEarly fetches early}
     */
    record PrepareSynAck(List<SSTableOffer> offers, boolean last, boolean isFetchable) implements Message {
        public PrepareSynAck {
            offers = List.copyOf(offers);
            isFetchable |= last;
        }

        /** A page whose offers may be fetched after the last page. */
        public PrepareSynAck(List<SSTableOffer> offers, boolean last) {
            this(offers, last, last);
        }
    }

    /** The initiator has space for everything offered, and will fetch it. */
    record PrepareAck() implements Message {}

    /** Requests extents in this order, on the data connection that will carry them. */
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

    /** The source knows that everything is installed; the session is over. */
    record Complete() implements Message {}

    /** The session failed; it installs nothing more. */
    record SessionFailed(ErrorCode code, String reason) implements Message {
        /** The reason, or where it is: a peer that has not authenticated this node sends only a code. */
        public String why() {
            return reason.isEmpty() ? "see its log for the reason" : reason;
        }
    }

    /** The source cannot offer this table; other tables are not affected. Sent before the last page of offers. */
    record TableRefused(UUID tableId, ErrorCode code, String reason) implements Message {}

    /** The receiver abandons this table: the source may unpin it. */
    record Released(UUID tableId, ErrorCode code, String reason) implements Message {}

    /** A received file has a wrong checksum: requests the checksums of its extents as the source reads them now. */
    record CheckFile(int offer, Component component, int extentLengthBytes) implements Message {
        public CheckFile {
            if (extentLengthBytes < MIN_CHECKED_LENGTH_BYTES || extentLengthBytes > Extent.MAX_LENGTH_BYTES) {
                throw new IllegalArgumentException("length of extents: " + extentLengthBytes + " (expected: "
                        + MIN_CHECKED_LENGTH_BYTES + " to " + Extent.MAX_LENGTH_BYTES + ")");
            }
        }
    }

    /** The minimum length of extents in {@link CheckFile}: shorter ones would make the answer too long. */
    int MIN_CHECKED_LENGTH_BYTES = 512;

    /**
     * One page of the answer to {@link CheckFile}.
     *
     * @param first number of the extent of the first checksum
     * @param crc32s checksums of consecutive extents
     */
    record FileSums(int offer, Component component, int first, List<Integer> crc32s, boolean last) implements Message {
        public FileSums {
            crc32s = List.copyOf(crc32s);
        }
    }

    /**
     * A heartbeat: the sender is alive, with its current activity.
     *
     * @param progress a number that changes whenever the sender makes progress; one below 0 that changes each time from
     *     a receiver that is paused, or waits for others
     */
    record KeepAlive(Doing doing, long progress) implements Message {}

    /**
     * The current activity of a node, for operators of the peer.
     *
     * @param stage what it waits for or does
     * @param seconds duration of the stage; a time of day would depend on its clock
     * @param verifiedBytes received bytes with verified checksums
     * @param durableBytes received bytes that survive a crash
     * @param queued number of queued tasks of the node
     */
    record Doing(String stage, int seconds, long verifiedBytes, long durableBytes, int queued) {
        /** As part of a sentence. */
        public String text() {
            return stage + ", " + seconds + " s, " + verifiedBytes + " bytes verified, " + durableBytes + " durable, "
                    + queued + " in its queue";
        }
    }
}
