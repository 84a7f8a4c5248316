package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.streaming.session.Transitions;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** What the tables of the three kinds of sessions have in common. Stateless. */
final class SessionRules {
    /** Everything that can happen: messages each for itself. */
    private static final List<Class<?>> KINDS =
            Transitions.kinds(SessionEvent.class, SessionEvent.Received.class, Control.class);

    private SessionRules() {}

    /** As which of them the tables know an event. */
    static Class<?> kind(SessionEvent event) {
        return event instanceof SessionEvent.Received e ? e.message().getClass() : event.getClass();
    }

    /** What has happened, for a failure. */
    static String describe(SessionEvent event) {
        if (event instanceof SessionEvent.Received e) {
            return e.message().getClass().getSimpleName();
        } else if (event instanceof SessionEvent.FileReceived e) {
            return "file " + e.sequence() + " of table " + e.tableId();
        }
        return event instanceof SessionEvent.Connected
                ? "a second connection"
                : event.getClass().getSimpleName();
    }

    /** The table of a session of which {@code rules} adds what is its own. */
    static <S extends Enum<S>> Transitions<S> table(
            Class<S> states, Predicate<S> isFinal, S failed, String lost, UnaryOperator<Transitions.Builder<S>> rules) {
        return rules.apply(Transitions.builder(states, KINDS, isFinal))
                .everywhere(StreamMessage.KeepAlive.class, "the node lives")
                .everywhere(StreamMessage.SessionFailed.class, lost, failed)
                .everywhere(SessionEvent.PeerLost.class, lost, failed)
                .everywhere(SessionEvent.Failed.class, "this end cannot go on; the node is notified", failed)
                .otherwise(failed);
    }
}
