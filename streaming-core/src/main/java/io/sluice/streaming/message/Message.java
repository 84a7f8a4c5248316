package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.planner.SSTableSpan;
import java.util.List;
import java.util.Optional;
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
     * @param session which session of the two nodes in that plan
     * @param connectionOrOffer of a data connection: which of its session, from 0; of others: the versions that the
     *     sender speaks, as {@link ProtocolVersions#offer} has them
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
        /** The versions that the sender speaks; empty for a data connection, which speaks that of its session. */
        public Optional<ProtocolVersions> versions() {
            return role == Role.DATA ? Optional.empty() : Optional.of(ProtocolVersions.of(connectionOrOffer));
        }
    }

    /**
     * To which cluster a node belongs. Nodes of different ones do not stream to each other.
     *
     * @param name 1 to 256 characters
     * @param id a second cluster may have the same name, not the same id; {@link #NO_ID} if the database has none
     * @param partitioner what makes tokens of keys: tokens of another one mean something else
     */
    record Cluster(String name, UUID id, String partitioner) {
        /** Of a database that does not say; goes with every id. */
        public static final UUID NO_ID = new UUID(0, 0);

        /** What tokens are made by if nothing else is said. */
        public static final String MURMUR3 = "Murmur3Partitioner";

        /** A cluster of which only the name is known. */
        public static Cluster named(String name) {
            return new Cluster(name, NO_ID, MURMUR3);
        }

        /** What is different in {@code other}, in words; empty if they are the same cluster. */
        public Optional<String> difference(Cluster other) {
            if (!name.equals(other.name)) {
                return Optional.of("cluster '" + other.name + "' (expected: '" + name + "')");
            }
            if (!id.equals(other.id) && !id.equals(NO_ID) && !other.id.equals(NO_ID)) {
                return Optional.of(
                        "another cluster of the name '" + name + "', id " + other.id + " (expected: " + id + ")");
            }
            return partitioner.equals(other.partitioner)
                    ? Optional.empty()
                    : Optional.of("partitioner '" + other.partitioner + "' (expected: '" + partitioner
                            + "'); tokens of the two cannot be compared");
        }
    }

    /**
     * Which conversation of two nodes in one plan this is. Nothing that belongs to an older attempt counts any more.
     *
     * @param index 0 to 65,535; several sessions of one plan with one peer fetch different things
     * @param attempt 0 to 65,535; grows each time that a session is tried again
     */
    record SessionNumber(int index, int attempt) {
        /** The greatest index, and attempt. */
        public static final int MAX = 0xffff;

        /** The one of a question, and of a session's first attempt. */
        public static final SessionNumber FIRST = new SessionNumber(0, 0);

        public SessionNumber {
            if (index < 0 || index > MAX || attempt < 0 || attempt > MAX) {
                throw new IllegalArgumentException(
                        "session " + index + ", attempt " + attempt + " (expected: 0 to " + MAX + ")");
            }
        }
    }

    /**
     * The answer to a hello that is accepted.
     *
     * @param features in the upper two bytes the versions that the node speaks, as {@link ProtocolVersions#offer} has
     *     them; below what it can do beyond its version, a bit each: none so far. Bits that are not known are ignored
     */
    record Welcome(UUID node, long features) implements Message {
        private static final int OFFER_SHIFT = 48;

        /** From a node that speaks {@code versions}, and has no features. */
        public static Welcome from(UUID node, ProtocolVersions versions) {
            return new Welcome(node, (long) versions.offer() << OFFER_SHIFT);
        }

        /** The versions that the node speaks. */
        public ProtocolVersions versions() {
            return ProtocolVersions.of((int) (features >>> OFFER_SHIFT));
        }
    }

    /**
     * Asks for the spans of the SSTables that hold partitions in some ranges of some tables. The next query of a
     * connection follows the last page of the answer to this one.
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

    /** One page of the answer to a {@link SpansQuery}: its tables in order, of which one may go on in the next page. */
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
     * @param operation by its code
     * @param roomBytes that the receiver has room for: a source that would send more does nothing for it
     */
    record StreamInit(int operation, long roomBytes) implements Message {
        /** Of a receiver that does not say how much room it has. */
        public static final long ANY_ROOM = Long.MAX_VALUE;

        /** Of a receiver that does not say. */
        public StreamInit(int operation) {
            this(operation, ANY_ROOM);
        }
    }

    /**
     * Requests ranges of tables: the initiator wants to receive them. In pages, of which several may have ranges of one
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
     * @param schemaDigest of the table as the receiver knows it, 0 if it does not say: a source that has another one
     *     refuses the table
     */
    record TableRequest(UUID tableId, long schemaDigest, TokenRanges ranges) {
        /** A request of a receiver that does not say which schema it has. */
        public TableRequest(UUID tableId, TokenRanges ranges) {
            this(tableId, 0, ranges);
        }
    }

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

    /** The source cannot offer this table; the others are not touched by it. Before the last page of offers. */
    record TableRefused(UUID tableId, ErrorCode code, String reason) implements Message {}

    /** The receiver gives this table up: the source may unpin it. */
    record Released(UUID tableId, ErrorCode code, String reason) implements Message {}

    /** A received file is damaged: asks for the checksums of its extents as the source reads them now. */
    record CheckFile(int offer, Component component, int extentLengthBytes) implements Message {
        public CheckFile {
            if (extentLengthBytes < MIN_CHECKED_LENGTH_BYTES || extentLengthBytes > Extent.MAX_LENGTH_BYTES) {
                throw new IllegalArgumentException("length of extents: " + extentLengthBytes + " (expected: "
                        + MIN_CHECKED_LENGTH_BYTES + " to " + Extent.MAX_LENGTH_BYTES + ")");
            }
        }
    }

    /** The shortest extents that a source computes checksums of: shorter ones would make the answer long. */
    int MIN_CHECKED_LENGTH_BYTES = 512;

    /**
     * One page of the answer to {@link CheckFile}.
     *
     * @param first which extent the first checksum is of
     * @param crc32s of one extent after the other
     */
    record FileSums(int offer, Component component, int first, List<Integer> crc32s, boolean last) implements Message {
        public FileSums {
            crc32s = List.copyOf(crc32s);
        }
    }

    /**
     * Says that the sender is alive, and what it is doing.
     *
     * @param progress another number each time that something of that is done
     */
    record KeepAlive(Doing doing, long progress) implements Message {}

    /**
     * What a node is doing, for the people at the other one.
     *
     * @param stage what it waits for, or is busy with
     * @param seconds for how long: a time of day would be its own clock's
     * @param verifiedBytes that have arrived and are as they should be
     * @param durableBytes that have arrived and would outlive a crash
     * @param queued pieces of work that wait for this node
     */
    record Doing(String stage, int seconds, long verifiedBytes, long durableBytes, int queued) {
        /** As a part of a sentence. */
        public String text() {
            return stage + ", " + seconds + " s, " + verifiedBytes + " bytes verified, " + durableBytes + " durable, "
                    + queued + " in its queue";
        }
    }
}
