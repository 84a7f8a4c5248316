package io.sluice.cassandra.session;

import java.util.List;

/** One end of a session: events in, actions out; no I/O, no clock. Not thread-safe: confined to its owner. */
public sealed interface StreamSession permits PushSession, PullSession, FollowSession {
    /** Where it stands. */
    Enum<?> state();

    /** Whether it is over, and was not brought to its end. */
    boolean hasFailed();

    /** What the last event meant. */
    String because();

    /** How much is not here, or not confirmed: components of whole SSTables and parts, or files. */
    long outstanding();

    /** What to do about {@code event}, in order; nothing once the session is over. */
    List<SessionAction> on(SessionEvent event);
}
