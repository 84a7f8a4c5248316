package io.sluice.streaming.progress;

import io.sluice.streaming.progress.StreamActivity.Wait;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A sample of a session at the node that sends. Immutable.
 *
 * @param receiver id of the node that receives
 * @param bytesOffered what the receiver may fetch; it fetches less if it has some of it already
 * @param bytesSent bytes sent, including those sent again
 * @param waitingFor empty when the session is over
 * @param failure why it failed; empty if it has not failed
 */
public record SendingProgress(
        UUID planId,
        UUID receiver,
        State state,
        Instant started,
        Optional<Instant> ended,
        long bytesOffered,
        long bytesSent,
        Optional<Wait> waitingFor,
        Optional<PlanResult.Failure> failure) {
    /** Where a session stands at the node that sends. */
    public enum State {
        /** The receiver sends its requests. */
        INITIALIZED,
        /** This node pins and prepares files. */
        PREPARING,
        /** The receiver fetches, and installs. */
        STREAMING,
        /** The receiver has everything that it requested. */
        COMPLETE,
        /** The session failed. */
        FAILED;

        /** Whether this state is final. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }
}
