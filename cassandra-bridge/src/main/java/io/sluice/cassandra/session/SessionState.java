package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.Transitions;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The state of a session, checked against its table, and how a session fails. Not thread-safe: confined to its session.
 */
final class SessionState<S extends Enum<S>> {
    private final Transitions<S> rules;
    private final S failed;
    private final String peer;
    private final LongSupplier outstanding;
    private S state;
    private String because = "";

    /**
     * Starts a session.
     *
     * @param peer the other end, as named in messages
     * @param outstanding number of outstanding files
     */
    SessionState(Transitions<S> rules, S first, S failed, String peer, LongSupplier outstanding) {
        this.rules = rules;
        this.state = first;
        this.failed = failed;
        this.peer = peer;
        this.outstanding = outstanding;
    }

    S state() {
        return state;
    }

    String because() {
        return because;
    }

    void move(S next) {
        state = next;
    }

    /** Lets {@code handler} handle an event that is allowed now; returns no action once the session is over. */
    List<SessionAction> on(SessionEvent event, Function<SessionEvent, List<SessionAction>> handler) {
        if (rules.isFinal(state)) {
            return List.of();
        }
        Class<?> kind = SessionRules.kind(event);
        S before = state;
        Transitions.Rule<S> rule = rules.rule(before, kind);
        because = rule.because();
        List<SessionAction> actions =
                rule.isViolation() ? violation(SessionRules.describe(event)) : handler.apply(event);
        rule.require(kind, before, state, failed);
        return actions;
    }

    /** Handles the events that mean the same in every session; any other is a violation. */
    List<SessionAction> handle(SessionEvent event) {
        if (event instanceof SessionEvent.Received e && e.message() instanceof StreamMessage.KeepAlive) {
            return List.of();
        }
        if (event instanceof SessionEvent.Received e && e.message() instanceof StreamMessage.SessionFailed) {
            return lost(peer + " failed the session in state " + state + "; its log says why");
        }
        if (event instanceof SessionEvent.PeerLost e) {
            return lost(e.reason());
        }
        return event instanceof SessionEvent.Failed e
                ? failAndNotify(e.failure())
                : violation(SessionRules.describe(event));
    }

    List<SessionAction> violation(String what) {
        return failAndNotify(new Failure(
                ErrorCode.PROTOCOL,
                "received " + what + " in state " + state + ", with " + outstanding.getAsLong()
                        + " files outstanding"));
    }

    /** Ends the session whose peer does not know yet that it failed. */
    List<SessionAction> failAndNotify(Failure failure) {
        state = failed;
        return List.of(
                new SessionAction.Send(new StreamMessage.SessionFailed()),
                new SessionAction.Finish(Optional.of(failure)));
    }

    private List<SessionAction> lost(String reason) {
        state = failed;
        return List.of(new SessionAction.Finish(Optional.of(new Failure(ErrorCode.PEER_LOST, reason))));
    }
}
