package io.sluice.streaming.progress;

import io.sluice.streaming.ring.Node;
import java.util.List;

/**
 * A sample of one session's progress. Immutable. Counters only grow while a session lives.
 *
 * @param peer the node at the other end
 * @param state the session's state, in words
 * @param filesTotal component files to receive; 0 until the peer's inventory is known
 * @param bytesTotal bytes of those files
 * @param bytesReceived bytes that are here, those of an earlier attempt included; not all of them checked yet
 * @param bytesResumed bytes that were here already when the session began, and did not travel again
 * @param offered how SSTables travel, of the first {@value #MAX_OFFERED} that the source offers
 * @param waitingFor what the session waits for, since when and for how long at most; empty when it is over
 */
public record SessionProgress(
        Node peer,
        String state,
        int sstablesTotal,
        int filesTotal,
        int filesReceived,
        long bytesTotal,
        long bytesReceived,
        long bytesResumed,
        List<OfferedAs> offered,
        String waitingFor) {
    /** Samples are taken often, and there may be a million offers. */
    public static final int MAX_OFFERED = 200;

    public SessionProgress {
        offered = List.copyOf(offered);
    }

    /** The same with another number of bytes that are here. */
    public SessionProgress receiving(long bytes) {
        return new SessionProgress(
                peer,
                state,
                sstablesTotal,
                filesTotal,
                filesReceived,
                bytesTotal,
                bytes,
                bytesResumed,
                offered,
                waitingFor);
    }

    /** The same of a session that has failed and will be tried again. */
    public SessionProgress pausing(String reason) {
        return new SessionProgress(
                peer,
                "PAUSING",
                sstablesTotal,
                filesTotal,
                filesReceived,
                bytesTotal,
                bytesReceived,
                bytesResumed,
                offered,
                reason);
    }
}
