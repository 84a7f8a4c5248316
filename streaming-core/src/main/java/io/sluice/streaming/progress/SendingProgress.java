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
 * @param bytesSent what has left, what was sent again included
 * @param waitingFor empty when the session is over
 * @param failure why it failed; empty if it has not
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
        /** The receiver says what it wants. */
        INITIALIZED,
        /** Files are pinned and prepared. */
        PREPARING,
        /** The receiver fetches, and installs. */
        STREAMING,
        /** The receiver has all that it wanted. */
        COMPLETE,
        /** Over before that. */
        FAILED;

        /** Whether nothing can happen any more. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }
}
