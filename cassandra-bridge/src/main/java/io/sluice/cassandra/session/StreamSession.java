package io.sluice.cassandra.session;

import java.util.List;

/** One end of a session: events in, actions out; no I/O, no clock. Not thread-safe: confined to its owner. */
public sealed interface StreamSession permits PushSession, PullSession, FollowSession {
    /** Its state. */
    Enum<?> state();

    /** Whether it is over and did not complete. */
    boolean hasFailed();

    /** What the last event meant. */
    String because();

    /** How much is not received, or not confirmed: files, and components of whole SSTables. */
    long outstanding();

    /**
     * Whether the peer has all that it needs from us, and works in silence until it confirms: a node that writes rows
     * into views or builds an index may do so for hours.
     */
    default boolean isLeftToPeer() {
        return false;
    }

    /** Actions to perform about {@code event}, in order; none once the session is over. */
    List<SessionAction> on(SessionEvent event);
}
