package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.streaming.session.Transitions;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** What the tables of the three sessions have in common. Stateless. */
final class SessionRules {
    /** All kinds of events; each message is a kind of its own. */
    private static final List<Class<?>> KINDS =
            Transitions.kinds(SessionEvent.class, SessionEvent.Received.class, Control.class);

    private SessionRules() {}

    /** The kind under which the tables know an event. */
    static Class<?> kind(SessionEvent event) {
        return event instanceof SessionEvent.Received e ? e.message().getClass() : event.getClass();
    }

    /** Describes the event of a failure. */
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

    /** The table of a session, to which {@code rules} adds the rules of its own. */
    static <S extends Enum<S>> Transitions<S> table(
            Class<S> states, Predicate<S> isFinal, S failed, String lost, UnaryOperator<Transitions.Builder<S>> rules) {
        return rules.apply(Transitions.builder(states, KINDS, isFinal))
                .everywhere(StreamMessage.KeepAlive.class, "the node is alive")
                .everywhere(StreamMessage.SessionFailed.class, lost, failed)
                .everywhere(SessionEvent.PeerLost.class, lost, failed)
                .everywhere(SessionEvent.Failed.class, "this end cannot continue; the node is notified", failed)
                .otherwise(failed);
    }
}
