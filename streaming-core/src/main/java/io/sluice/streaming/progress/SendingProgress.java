package io.sluice.streaming.progress;

import java.util.UUID;

/**
 * A sample of a session at the node that sends. Immutable.
 *
 * @param receiver id of the node that receives
 * @param state the session's state, in words
 * @param bytesOffered what the receiver may fetch; it fetches less if it has some of it already
 * @param bytesSent what has left, what was sent again included
 * @param waitingFor what the session waits for, since when and for how long at most; empty when it is over
 */
public record SendingProgress(
        UUID planId, UUID receiver, String state, long bytesOffered, long bytesSent, String waitingFor) {}
