package io.sluice.streaming.progress;

import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.ring.Node;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A sample of the latest attempt at one session, at the node that receives. Immutable. Counters only grow during an
 * attempt.
 *
 * @param peer the node at the other end
 * @param attempt 0 for the first
 * @param started when this attempt began
 * @param ended when it ended; empty while it runs
 * @param filesTotal component files to receive; 0 until the peer's inventory is known
 * @param bytesTotal bytes of those files
 * @param bytesReceived received bytes, including those of an earlier attempt; not all of them are verified yet
 * @param bytesResumed bytes that were already here when the session began, and were not sent again
 * @param offered how SSTables travel, of the first {@value #MAX_OFFERED} that the source offers
 * @param waitingFor what the session waits for; empty when it has ended
 * @param failure why the attempt failed; empty if it has not failed
 */
public record SessionProgress(
        Node peer,
        State state,
        int attempt,
        Instant started,
        Optional<Instant> ended,
        int sstablesTotal,
        int filesTotal,
        int filesReceived,
        long bytesTotal,
        long bytesReceived,
        long bytesResumed,
        List<Offered> offered,
        Optional<Wait> waitingFor,
        Optional<PlanResult.Failure> failure) {
    /** Samples are taken often, and there may be a million offers. */
    public static final int MAX_OFFERED = 200;

    public SessionProgress {
        offered = List.copyOf(offered);
    }

    /** Where a session stands at the node that receives. */
    public enum State {
        /** The node is about to connect. */
        INITIALIZED,
        /** The session will be retried, or cannot start yet. */
        PAUSING,
        /** The source prepares its files, and this node makes room for them. */
        PREPARING,
        /** Files arrive. */
        STREAMING,
        /** Everything was received and is being installed. */
        WAIT_INSTALL,
        /** Everything is live; the source is about to end the session. */
        WAIT_COMPLETE,
        /** The session succeeded: everything is live. */
        COMPLETE,
        /** The attempt failed. */
        FAILED;

        /** Whether this state is final for the attempt. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }

    /**
     * How one offered SSTable travels, and why. Immutable.
     *
     * @param sstable its name at the source
     * @param bytes to be received, or already here
     */
    public record Offered(UUID tableId, String sstable, TransferMode mode, long bytes, String reason) {}

    /**
     * How much of a table a plan has received, at the node that receives. Immutable.
     *
     * @param bytesTotal bytes of the files that its sources offer so far; 0 until one has
     * @param bytesReceived of these, including those of an earlier attempt; not all of them are verified yet
     */
    public record TableProgress(UUID tableId, long bytesTotal, long bytesReceived) {
        /** The same table, also from another source. */
        public TableProgress plus(TableProgress other) {
            return new TableProgress(
                    tableId,
                    Math.addExact(bytesTotal, other.bytesTotal),
                    Math.addExact(bytesReceived, other.bytesReceived));
        }
    }

    /** A copy with other offers. */
    public SessionProgress offering(List<Offered> others) {
        return new SessionProgress(
                peer,
                state,
                attempt,
                started,
                ended,
                sstablesTotal,
                filesTotal,
                filesReceived,
                bytesTotal,
                bytesReceived,
                bytesResumed,
                others,
                waitingFor,
                failure);
    }

    /** A copy with other counts of received files and bytes. */
    public SessionProgress counting(int sstables, int allFiles, int files, long allBytes, long bytes, long resumed) {
        return new SessionProgress(
                peer,
                state,
                attempt,
                started,
                ended,
                sstables,
                allFiles,
                files,
                allBytes,
                bytes,
                resumed,
                offered,
                waitingFor,
                failure);
    }

    /** A copy with another number of received bytes. */
    public SessionProgress receiving(long bytes) {
        return counting(sstablesTotal, filesTotal, filesReceived, bytesTotal, bytes, bytesResumed);
    }

    /** A copy for a session that waits before it starts or is retried. */
    public SessionProgress pausing(Wait wait) {
        return new SessionProgress(
                peer,
                State.PAUSING,
                attempt,
                started,
                ended,
                sstablesTotal,
                filesTotal,
                filesReceived,
                bytesTotal,
                bytesReceived,
                bytesResumed,
                offered,
                Optional.of(wait),
                failure);
    }
}
