package io.sluice.streaming;

import java.util.Optional;

/** Why something failed: a closed set that travels to the peer by its {@link #code()} and never changes meaning. */
public enum ErrorCode {
    /** The peer broke the protocol: wrong message, count or length. */
    PROTOCOL(1, false),
    /** The peer speaks another version, or belongs to another cluster, or is another node than expected. */
    WRONG_PEER(2, false),
    /** The connection ended or could not be made, or the source shuts down. */
    PEER_LOST(3, true),
    /** The table is not known at the named node. */
    UNKNOWN_TABLE(4, false),
    /** The source can send its SSTable neither entirely nor in part. */
    NOT_WHOLE(5, false),
    /** Bytes arrived that differ from what the source promised, or a frame that differs from its checksum. */
    CORRUPT_IN_FLIGHT(6, true),
    /** The source's own file differs from its checksum. */
    CORRUPT_AT_SOURCE(7, false),
    /** A pinned source file was changed, truncated or removed. */
    SOURCE_CHANGED(8, true),
    /** The receiving node does not have enough free space for the announced bytes. */
    DISK_FULL(9, true),
    /** The disk refused an operation. */
    DISK(10, false),
    /** A received SSTable holds partitions outside the requested ranges. */
    OUT_OF_RANGE(11, false),
    /** An operator, the database or the shutdown of the receiving node ended it. */
    CANCELLED(12, false),
    /** Nothing was received or done within a deadline. */
    TIMEOUT(13, true),
    /**
     * A defect of Sluice; or the embedding database threw, and the message names the call; or the native library of a
     * codec cannot be loaded; or a code of the peer that this release does not know.
     */
    INTERNAL(14, false),
    /** No live node holds the range. */
    NO_SOURCE(15, false),
    /**
     * Another plan of this node fetches some of the same ranges, or a source has not ended the previous session of this
     * node yet.
     */
    BUSY(16, true),
    /** Both ends know the table, but their schemas read its SSTables differently. */
    SCHEMA(17, false),
    /** A newer operation has taken the same ranges over. */
    FENCED(18, false),
    /** A limit of the named node is reached; a later attempt may succeed. */
    LIMIT(19, true),
    /** The database rejected the complete data because the table was dropped or truncated meanwhile. */
    DISCARDED(20, false),
    /** A certificate is not trusted, or does not belong to the node that presents it. */
    UNTRUSTED(21, false),
    /** The database of the named node does not let the peer do this. */
    DENIED(22, false),
    /** The source does not have enough free space to prepare the requested data. */
    SOURCE_DISK_FULL(23, true),
    /** One of several data volumes of the named node failed: its files are fetched again to the other volumes. */
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
     * Whether the same attempt may succeed later. Sluice then retries the session, retains its staged data for the next
     * plan, and an operator may simply repeat the operation.
     */
    public boolean isRetryable() {
        return retryable;
    }

    /** The code with this number, or empty if this version does not know it. */
    public static Optional<ErrorCode> of(int code) {
        for (ErrorCode error : values()) {
            if (error.code == code) {
                return Optional.of(error);
            }
        }
        return Optional.empty();
    }
}
