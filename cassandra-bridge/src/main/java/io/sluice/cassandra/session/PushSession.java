package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.Transitions;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The initiator's end of a session in which only we send.
 *
 * <p>Not thread-safe: confined to its owner.
 */
public final class PushSession implements StreamSession {
    /** Where a session stands. */
    public enum State {
        CONNECTING,
        PREPARING,
        STREAMING,
        COMPLETE,
        FAILED;

        /** Whether nothing can happen any more. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }

    /** A file of the session, as the node names it when it has it. */
    public record FileId(UUID tableId, int sequence) {}

    private final StreamMessage.StreamInit init;
    private final List<Summary> summaries;
    private final Set<FileId> outstanding;
    private final Transitions<State> rules = SessionRules.push();
    private String because = "";
    private State state = State.CONNECTING;

    /**
     * A session that is to be connected.
     *
     * @param summaries what is promised: exactly what the files add up to
     * @param files all that will be sent, at least one
     */
    public PushSession(StreamMessage.StreamInit init, List<Summary> summaries, Set<FileId> files) {
        this.init = init;
        this.summaries = List.copyOf(summaries);
        this.outstanding = new HashSet<>(files);
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public long outstanding() {
        return outstanding.size();
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
        if (event instanceof SessionEvent.PeerLost e) {
            return finish(new Failure(ErrorCode.PEER_LOST, e.reason()));
        }
        return event instanceof SessionEvent.Failed e ? failAndTell(e.failure()) : connected();
    }

    private List<SessionAction> connected() {
        state = State.PREPARING;
        return List.of(
                new SessionAction.Send(init),
                new SessionAction.Send(new StreamMessage.PrepareSyn(List.of(), summaries)));
    }

    private List<SessionAction> received(Control message) {
        if (message instanceof StreamMessage.KeepAlive) {
            return List.of();
        }
        if (message instanceof StreamMessage.SessionFailed) {
            return finish(new Failure(
                    ErrorCode.PEER_LOST, "the node gave the session up in state " + state + "; its log says why"));
        }
        if (message instanceof StreamMessage.PrepareSynAck m && m.summaries().isEmpty()) {
            state = State.STREAMING;
            return List.of(new SessionAction.Transmit());
        }
        if (message instanceof StreamMessage.Received m && outstanding.remove(new FileId(m.tableId(), m.sequence()))) {
            return List.of();
        }
        if (message instanceof StreamMessage.Complete && outstanding.isEmpty()) {
            state = State.COMPLETE;
            return List.of(new SessionAction.Finish(Optional.empty()));
        }
        return violation(message.getClass().getSimpleName());
    }

    private List<SessionAction> violation(String what) {
        return failAndTell(new Failure(
                ErrorCode.PROTOCOL,
                what + " came in state " + state + ", with " + outstanding.size() + " files to go"));
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
