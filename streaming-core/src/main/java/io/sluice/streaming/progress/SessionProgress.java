package io.sluice.streaming.progress;

import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.ring.Node;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A sample of the latest attempt at one session, at the node that receives. Immutable. Counters only grow while an
 * attempt lives.
 *
 * @param peer the node at the other end
 * @param attempt 0 for the first
 * @param started when this attempt began
 * @param ended when it was over; empty if it is not
 * @param filesTotal component files to receive; 0 until the peer's inventory is known
 * @param bytesTotal bytes of those files
 * @param bytesReceived bytes that are here, those of an earlier attempt included; not all of them checked yet
 * @param bytesResumed bytes that were here already when the session began, and did not travel again
 * @param offered how SSTables travel, of the first {@value #MAX_OFFERED} that the source offers
 * @param waitingFor what has to come before it goes on; empty when the session is over
 * @param failure why the attempt failed; empty if it has not
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
        /** About to connect. */
        INITIALIZED,
        /** It will be tried again, or cannot begin yet. */
        PAUSING,
        /** The source prepares its files, and this node makes room for them. */
        PREPARING,
        /** Files come. */
        STREAMING,
        /** All was received, and becomes live. */
        WAIT_INSTALL,
        /** All is live; the source is about to end the session. */
        WAIT_COMPLETE,
        /** Over: all is live. */
        COMPLETE,
        /** Over before that. */
        FAILED;

        /** Whether nothing can happen any more in this attempt. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }

    /**
     * How one offered SSTable travels, and why. Immutable.
     *
     * @param sstable what it is called at the source
     * @param bytes that have to come, or were here already
     */
    public record Offered(UUID tableId, String sstable, TransferMode mode, long bytes, String reason) {}

    /** The same with other offers, as a later attempt has that knows none yet. */
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

    /** The same with other counts of what was received, as sums of several samples have. */
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

    /** The same with another number of bytes that are here. */
    public SessionProgress receiving(long bytes) {
        return counting(sstablesTotal, filesTotal, filesReceived, bytesTotal, bytes, bytesResumed);
    }

    /** The same of a session that waits for something before it begins, or is tried again. */
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
