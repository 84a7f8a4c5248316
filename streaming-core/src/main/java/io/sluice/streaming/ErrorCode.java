package io.sluice.streaming;

import java.util.Optional;

/** Why something failed: a closed set that travels to the peer by its {@link #code()} and never changes meaning. */
public enum ErrorCode {
    /** The peer broke the protocol: wrong message, count, length or checksum of a frame. */
    PROTOCOL(1, false),
    /** The peer speaks another version, or is of another cluster, or is not the node that was meant. */
    WRONG_PEER(2, false),
    /** The connection ended or could not be made. */
    PEER_LOST(3, true),
    /** The table is not known at the named node. */
    UNKNOWN_TABLE(4, false),
    /** The source cannot send its SSTable whole, with all that belongs to it, and nothing else is possible. */
    NOT_WHOLE(5, false),
    /** Bytes arrived that differ from what the source promised. */
    CORRUPT_IN_FLIGHT(6, true),
    /** The source's own file differs from its checksum. */
    CORRUPT_AT_SOURCE(7, false),
    /** A pinned source file was changed, truncated or removed. */
    SOURCE_CHANGED(8, true),
    /** The receiving node has not enough room for the announced bytes. */
    DISK_FULL(9, true),
    /** The disk refused an operation. */
    DISK(10, false),
    /** A received SSTable holds partitions outside the requested ranges. */
    OUT_OF_RANGE(11, false),
    /** An operator, the database or the shutdown of a node ended it. */
    CANCELLED(12, false),
    /** Nothing was received or done within a deadline. */
    TIMEOUT(13, true),
    /** A defect of Sluice. */
    INTERNAL(14, false),
    /** No live node holds the range. */
    NO_SOURCE(15, false),
    /** Another plan of this node fetches some of the same ranges, or a source has the session of before still. */
    BUSY(16, true),
    /** The two ends know the table by its id, and read its SSTables differently. */
    SCHEMA(17, false),
    /** A newer operation has taken the same ranges over. */
    FENCED(18, false),
    /** A limit of the named node is reached; when others are done there may be room. */
    LIMIT(19, true),
    /** The database did not want any more what was complete: it has dropped or emptied the table meanwhile. */
    DISCARDED(20, false),
    /** A certificate is not trusted, or does not speak for the node that shows it. */
    UNTRUSTED(21, false),
    /** The database of the named node does not let the peer do this. */
    DENIED(22, false),
    /** The source has not enough room to prepare what it is asked for. */
    SOURCE_DISK_FULL(23, true),
    /** One of several data volumes of the named node failed: what lay there comes again, and lands on the others. */
    VOLUME_FAILED(24, true);

    private final int code;
    private final boolean retryable;

    ErrorCode(int code, boolean retryable) {
        this.code = code;
        this.retryable = retryable;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /**
     * Whether the same attempt may succeed later: then a session is tried again by itself, what it has staged is kept
     * for the next plan, and an operator may simply begin again.
     */
    public boolean isRetryable() {
        return retryable;
    }

    /** The code with this number, or empty if this version knows none. */
    public static Optional<ErrorCode> of(int code) {
        for (ErrorCode error : values()) {
            if (error.code == code) {
                return Optional.of(error);
            }
        }
        return Optional.empty();
    }
}
