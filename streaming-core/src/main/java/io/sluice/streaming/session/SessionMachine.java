package io.sluice.streaming.session;

import java.util.List;

/**
 * A session as its driver sees it: events in, actions out.
 *
 * @param <S> its states
 * @param <E> its events
 * @param <A> its actions
 */
public interface SessionMachine<S extends Enum<S>, E, A> {
    /** The current state. */
    S state();

    /** The kind of an event, as the tables of the documentation name it: of a message its type. */
    Class<?> kind(E event);

    /** Why the last event changed the state, for the log. */
    String because();

    /** Handles {@code event}, which occurred at {@code nowNanos}; returns the actions in order. */
    List<A> on(E event, long nowNanos);

    /** The event of a failure of its driver. */
    E failed(Failure failure);

    /** Whether an action only moves bytes: such actions are frequent. */
    boolean movesBytes(A action);
}
