package io.sluice.streaming.progress;

import io.sluice.streaming.plan.Operation.Priority;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What a node streams at one moment. Immutable.
 *
 * @param time when the sample was taken
 * @param receiving each plan that this node executes
 * @param sending each session in which this node sends
 */
public record StreamActivity(Instant time, List<Receiving> receiving, List<SendingProgress> sending) {
    public StreamActivity {
        receiving = List.copyOf(receiving);
        sending = List.copyOf(sending);
    }

    /** The direction of a session, as seen from this node. */
    public enum Direction {
        RECEIVING,
        SENDING
    }

    /** A running plan, how urgent it is, and a sample of each of its sessions. */
    public record Receiving(UUID planId, Priority priority, List<SessionProgress> sessions) {
        public Receiving {
            sessions = List.copyOf(sessions);
        }
    }

    /**
     * One attempt at one session of a plan.
     *
     * @param peer id of the node at the other end
     * @param number of the session in its plan, from 0
     * @param attempt from 0
     */
    public record Session(UUID planId, UUID peer, Direction direction, int number, int attempt, Instant started) {}

    /** What a session waits for. */
    public enum Waiting {
        /** A free session slot at the source: this node already has the maximum number of sessions with it. */
        SLOT("a free session slot at the source"),
        /** Memory of this node for the session's buffers. */
        MEMORY("memory for buffers"),
        /** The connection, and its handshake. */
        CONNECTION("a connection"),
        /** The source's list of SSTables. */
        OFFERS("the list of SSTables"),
        /** Files and room on the receiving node. */
        STAGING("files and room on this node"),
        /** Bytes of files. */
        BYTES("bytes"),
        /** The other sources of its tables, then the tables, which become live on the receiving node. */
        INSTALL("the other sources, and the install"),
        /** The source's last message. */
        END("the end of the session"),
        /** The next attempt: the last one failed. */
        RETRY("another attempt"),
        /** An operator, who must resume the paused plan. */
        RESUME("an operator to resume the plan"),
        /** The receiver's requests. */
        REQUESTS("the receiver's requests"),
        /** Files that are pinned and prepared for sending. */
        PREPARATION("the requested files"),
        /** The receiver, which makes room. */
        RECEIVER_ROOM("room at the receiver"),
        /** The receiver, which fetches, or installs. */
        FETCHES("the receiver to fetch or install");

        private final String text;

        Waiting(String text) {
            this.text = text;
        }

        /** Human-readable. */
        public String text() {
            return text;
        }
    }

    /**
     * A wait that has not ended. Immutable.
     *
     * @param since when it began, or when the last progress was made
     * @param limit the session fails after this long without progress; empty if there is no limit
     * @param detail for an operator: the reason, or what the peer reports that it waits for itself; may be empty
     */
    public record Wait(Waiting what, Instant since, Optional<Duration> limit, String detail) {
        /** How long it has lasted; 0 if {@code now} is before its beginning. */
        public Duration lasted(Instant now) {
            return now.isBefore(since) ? Duration.ZERO : Duration.between(since, now);
        }

        /** "bytes, 3 s (deadline: 120 s); ...", for an operator. */
        public String describe(Instant now) {
            return what.text() + ", " + lasted(now).toSeconds() + " s ("
                    + limit.map(most -> "deadline: " + seconds(most)).orElse("no deadline") + ")"
                    + (detail.isEmpty() ? "" : "; " + detail);
        }

        private static String seconds(Duration most) {
            return most.toSeconds() > 0 ? most.toSeconds() + " s" : most.toMillis() + " ms";
        }
    }

    /**
     * What a node has done since it started. Each number only grows. Immutable.
     *
     * @param bytesSent file bytes written to sockets
     * @param bytesReceived file bytes written to staged files; not all of them are verified yet
     * @param regionsSent regions handed to sockets: each takes one {@code sendfile} call, or more if the socket buffer
     *     fills up
     * @param socketReads system calls that took bytes from data connections
     * @param fileWrites system calls that wrote staged files
     * @param syncs of files and directories
     * @param sstablesStaged received, verified and durable
     * @param installs sets of SSTables that became live together
     * @param sessionsFailed attempts that failed, in both directions
     * @param connectionsRefused before or during their handshake, except those closed in favour of newer ones
     */
    public record StreamCounters(
            long bytesSent,
            long bytesReceived,
            long regionsSent,
            long socketReads,
            long fileWrites,
            long syncs,
            long sstablesStaged,
            long installs,
            long sessionsFailed,
            long connectionsRefused) {}

    /**
     * The fill level of a bounded queue or memory pool. Immutable.
     *
     * @param name as in docs/operations.md, which describes what happens at the limit
     * @param unit of both numbers
     * @param used now
     * @param limit never exceeded; {@link #OF_ITS_USERS} if there are only limits for each user of the queue
     */
    public record QueueSample(String name, String unit, long used, long limit) {
        /** No limit of its own. */
        public static final long OF_ITS_USERS = 0;
    }

    /**
     * A data volume as a node sees it. Immutable.
     *
     * @param directory its staging directory, which identifies the volume
     * @param freeBytes free for received data, as of the last 10 s; 0 if the volume was missing at the start
     * @param reservedBytes reserved for extents that have not been received yet
     * @param headroomBytes that are left to the database
     * @param operations number of operations in progress on its files: those that wait for this disk
     * @param failure why nothing is received there until the node restarts; empty if the volume is usable
     */
    public record VolumeSample(
            Path directory,
            long freeBytes,
            long reservedBytes,
            long headroomBytes,
            int operations,
            Optional<String> failure) {}
}
