package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.streaming.session.Failure;
import java.util.UUID;

/** What happens to a session. Immutable. */
public sealed interface SessionEvent {
    /** The control connection that we opened is there, and versions are agreed. */
    record Connected() implements SessionEvent {}

    /** A message of the control connection. */
    record Received(Control message) implements SessionEvent {}

    /**
     * All bytes of a file are on our disk.
     *
     * @param counted how much of the promise it is: its components if it is whole, else 1
     */
    record FileReceived(UUID tableId, int sequence, int counted) implements SessionEvent {}

    /** All that arrived is verified, durable and live. */
    record Installed() implements SessionEvent {}

    /** A connection of the session is gone. */
    record PeerLost(String reason) implements SessionEvent {}

    /** Something failed at this end. */
    record Failed(Failure failure) implements SessionEvent {}
}
