package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.streaming.session.Failure;
import java.util.List;
import java.util.Optional;

/** What the owner of a session is to do, in order. Immutable. */
public sealed interface SessionAction {
    /** Send on the control connection. */
    record Send(Control message) implements SessionAction {}

    /** Files are to come: look whether there is a table and room for each. */
    record Prepare(List<Summary> promised) implements SessionAction {
        public Prepare {
            promised = List.copyOf(promised);
        }
    }

    /** Send all files, on any connections, and keep these open until the end. */
    record Transmit() implements SessionAction {}

    /** Verify all that arrived, and make it live. */
    record Install() implements SessionAction {}

    /** The session is over: close all connections; empty if it succeeded. */
    record Finish(Optional<Failure> failure) implements SessionAction {}
}
