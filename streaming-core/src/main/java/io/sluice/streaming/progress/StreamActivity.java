package io.sluice.streaming.progress;

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

    /** Which way the bytes of a session go, seen from this node. */
    public enum Direction {
        RECEIVING,
        SENDING
    }

    /** A plan that is being executed, with a sample of each of its sessions. */
    public record Receiving(UUID planId, List<SessionProgress> sessions) {
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
        /** A free session slot at the source: this node has as many sessions with it as it may have. */
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
        /** Tables that become live on the receiving node. */
        INSTALL("the install on this node"),
        /** The source's last message. */
        END("the end of the session"),
        /** The next attempt: the last one failed. */
        RETRY("another attempt"),
        /** An operator, who has paused the plan. */
        RESUME("somebody to resume it (paused by hand)"),
        /** The receiver's requests. */
        REQUESTS("the receiver's requests"),
        /** Files that are pinned and prepared for sending. */
        PREPARATION("the files that are asked for"),
        /** The receiver, which makes room. */
        RECEIVER_ROOM("room at the receiver"),
        /** The receiver, which fetches, or installs. */
        FETCHES("what the receiver fetches, or installs");

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
     * @param since when it began, or when the last of what is waited for came
     * @param limit after so long without any progress the session fails; empty if it may wait for ever
     * @param detail for an operator: why, or what the peer says that it waits for itself; may be empty
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
     * @param bytesSent of files, that the sockets have taken
     * @param bytesReceived of files, that lie in files here, not all of them checked yet
     * @param regionsSent pieces of files handed to sockets: each is one {@code sendfile}, or as many as the socket's
     *     buffer is filled anew
     * @param socketReads system calls that took bytes from data connections
     * @param fileWrites system calls that wrote staged files
     * @param syncs of files and directories
     * @param sstablesStaged received, checked and durable
     * @param installs sets of SSTables that went live together
     * @param sessionsFailed attempts that ended by a failure, of both directions
     * @param connectionsRefused before, or by, their handshake: not those that only gave way to newer ones
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
     * How full something is that is bounded. Immutable.
     *
     * @param name as in docs/operations.md, which says what happens at the limit
     * @param unit of both numbers
     * @param used now
     * @param limit never exceeded; {@link #OF_ITS_USERS} if what bounds it is a limit of each user
     */
    public record QueueSample(String name, String unit, long used, long limit) {
        /** No limit of its own. */
        public static final long OF_ITS_USERS = 0;
    }
}
