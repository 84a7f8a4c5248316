package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.streaming.session.Failure;
import java.util.Objects;
import java.util.UUID;

/** An event of a session. Immutable. */
public sealed interface SessionEvent {
    /** The control connection that we opened is established, and the versions are agreed. */
    record Connected() implements SessionEvent {}

    /** A message arrived on the control connection. */
    record Received(Control message) implements SessionEvent {}

    /**
     * All bytes of a file are on our disk.
     *
     * @param counted how many announced files it counts for: its components if it is whole, otherwise 1
     */
    record FileReceived(UUID tableId, int sequence, int counted) implements SessionEvent {}

    /** All received files are verified, durable and live. */
    record Installed() implements SessionEvent {}

    /** A connection of the session was lost. */
    record PeerLost(String reason) implements SessionEvent {
        /**
         * Of a failure, which has no message if it is this end that closed the connection.
         *
         * @param connection its name, as {@code control connection}
         */
        public static PeerLost of(String connection, Exception failure) {
            return new PeerLost(connection + ": " + Objects.requireNonNullElse(failure.getMessage(), "closed"));
        }
    }

    /** Something failed at this end. */
    record Failed(Failure failure) implements SessionEvent {}
}
