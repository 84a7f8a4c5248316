package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.streaming.session.Failure;
import java.util.List;
import java.util.Optional;

/** An action that the owner of a session performs, in order. Immutable. */
public sealed interface SessionAction {
    /** Send a message on the control connection. */
    record Send(Control message) implements SessionAction {}

    /** Files are announced: check that each has a table and that there is room for all. */
    record Prepare(List<Summary> promised) implements SessionAction {
        public Prepare {
            promised = List.copyOf(promised);
        }
    }

    /** Send all files, on any connections, and keep these open until the end. */
    record Transmit() implements SessionAction {}

    /** Verify all received files and make them live. */
    record Install() implements SessionAction {}

    /** The session is over: close all connections. The failure is empty if it succeeded. */
    record Finish(Optional<Failure> failure) implements SessionAction {}
}
