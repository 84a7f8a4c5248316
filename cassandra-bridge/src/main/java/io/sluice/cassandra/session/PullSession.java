package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.cassandra.wire.StreamMessage.RangeRequest;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.Transitions;
import java.util.List;
import java.util.Optional;

/**
 * The initiator's end of a session in which only the node sends.
 *
 * <p>Not thread-safe: confined to its owner.
 */
public final class PullSession implements StreamSession {
    /** Where a session stands. */
    public enum State {
        CONNECTING,
        PREPARING,
        RECEIVING,
        COMPLETE,
        FAILED;

        /** Whether nothing can happen any more. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }

    private final StreamMessage.StreamInit init;
    private final List<RangeRequest> requests;
    private final Promise promise = new Promise();
    private final Transitions<State> rules = SessionRules.pull();
    private String because = "";
    private State state = State.CONNECTING;

    /** A session that is to be connected. */
    public PullSession(StreamMessage.StreamInit init, List<RangeRequest> requests) {
        this.init = init;
        this.requests = List.copyOf(requests);
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public long outstanding() {
        return promise.outstanding();
    }

    @Override
    public List<SessionAction> on(SessionEvent event) {
        if (state.isFinal()) {
            return List.of();
        }
        Class<?> kind = SessionRules.kind(event);
        State before = state;
        Transitions.Rule<State> rule = rules.rule(before, kind);
        because = rule.because();
        List<SessionAction> actions = rule.isViolation() ? violation(SessionRules.describe(event)) : handle(event);
        rule.require(kind.getSimpleName() + " in " + before, state, State.FAILED);
        return actions;
    }

    @Override
    public String because() {
        return because;
    }

    private List<SessionAction> handle(SessionEvent event) {
        if (event instanceof SessionEvent.Received e) {
            return received(e.message());
        }
        if (event instanceof SessionEvent.Arrived e) {
            return arrived(e);
        }
        if (event instanceof SessionEvent.PeerLost e) {
            return finish(new Failure(ErrorCode.PEER_LOST, e.reason()));
        }
        return event instanceof SessionEvent.Failed e ? failAndTell(e.failure()) : connected();
    }

    private List<SessionAction> connected() {
        state = State.PREPARING;
        return List.of(
                new SessionAction.Send(init),
                new SessionAction.Send(new StreamMessage.PrepareSyn(requests, List.of())));
    }

    private List<SessionAction> received(Control message) {
        if (message instanceof StreamMessage.KeepAlive) {
            return List.of();
        }
        if (message instanceof StreamMessage.SessionFailed) {
            return finish(new Failure(
                    ErrorCode.PEER_LOST, "the node gave the session up in state " + state + "; its log says why"));
        }
        if (message instanceof StreamMessage.PrepareSynAck m) {
            return promised(m.summaries());
        }
        if (message instanceof StreamMessage.Complete && outstanding() == 0) {
            state = State.COMPLETE;
            return List.of(new SessionAction.Finish(Optional.empty()));
        }
        return violation(message.getClass().getSimpleName());
    }

    private List<SessionAction> promised(List<Summary> summaries) {
        state = State.RECEIVING;
        if (!promise.add(summaries)) {
            return violation("a second summary of a table");
        }
        return summaries.isEmpty()
                ? List.of()
                : List.of(new SessionAction.Prepare(summaries), new SessionAction.Send(new StreamMessage.PrepareAck()));
    }

    private List<SessionAction> arrived(SessionEvent.Arrived file) {
        if (!promise.arrived(file)) {
            return violation(SessionRules.describe(file));
        }
        return List.of(new SessionAction.Send(new StreamMessage.Received(file.tableId(), file.sequence())));
    }

    private List<SessionAction> violation(String what) {
        return failAndTell(new Failure(
                ErrorCode.PROTOCOL, what + " came in state " + state + ", with " + outstanding() + " files to go"));
    }

    private List<SessionAction> failAndTell(Failure failure) {
        state = State.FAILED;
        return SessionAction.failAndTell(failure);
    }

    private List<SessionAction> finish(Failure failure) {
        state = State.FAILED;
        return List.of(new SessionAction.Finish(Optional.of(failure)));
    }
}
