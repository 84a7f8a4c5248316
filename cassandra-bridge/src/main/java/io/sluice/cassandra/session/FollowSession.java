package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.Transitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The follower's end of a session: a node, or its bulk loader, began it, and sends.
 *
 * <p>A node that is told COMPLETE before it closes its connections takes a close of ours for a failure: hence LEAVING.
 * Not thread-safe: confined to its owner.
 */
public final class FollowSession implements StreamSession {
    /** Where a session stands. */
    public enum State {
        WAITING,
        PREPARING,
        RECEIVING,
        INSTALLING,
        LEAVING,
        COMPLETE,
        FAILED;

        /** Whether nothing can happen any more. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }

    private final Promise promise = new Promise();
    private final Transitions<State> rules = SessionRules.follow();
    private String because = "";
    private State state = State.WAITING;

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
        if (event instanceof SessionEvent.Received e && e.message() instanceof StreamMessage.KeepAlive) {
            return List.of();
        }
        if (state == State.LEAVING) {
            state = State.COMPLETE;
            return List.of(new SessionAction.Finish(Optional.empty()));
        }
        if (event instanceof SessionEvent.Received e) {
            return received(e.message());
        }
        if (event instanceof SessionEvent.Arrived e) {
            return arrived(e);
        }
        if (event instanceof SessionEvent.PeerLost e) {
            return finish(new Failure(ErrorCode.PEER_LOST, e.reason()));
        }
        if (event instanceof SessionEvent.Failed e) {
            return failAndTell(e.failure());
        }
        state = State.LEAVING;
        return List.of(new SessionAction.Send(new StreamMessage.Complete()));
    }

    private List<SessionAction> received(Control message) {
        if (message instanceof StreamMessage.SessionFailed) {
            return finish(new Failure(
                    ErrorCode.PEER_LOST, "the sender gave the session up in state " + state + "; its log says why"));
        }
        if (message instanceof StreamMessage.StreamInit init) {
            return begin(init);
        }
        return prepare((StreamMessage.PrepareSyn) message);
    }

    private List<SessionAction> begin(StreamMessage.StreamInit init) {
        state = State.PREPARING;
        if (init.previewKind() != 0 || init.pendingRepair().isPresent()) {
            return failAndTell(new Failure(
                    ErrorCode.PROTOCOL,
                    "the session is part of an incremental repair, or of the preview of one (expected: bulk load,"
                            + " rebuild, or full repair)"));
        }
        return List.of();
    }

    private List<SessionAction> prepare(StreamMessage.PrepareSyn syn) {
        if (!syn.requests().isEmpty()) {
            return failAndTell(new Failure(
                    ErrorCode.PROTOCOL,
                    "ranges of " + syn.requests().get(0).keyspace()
                            + " are asked for (expected: files that come; take ours by ./sluice load)"));
        }
        if (!promise.add(syn.summaries())) {
            return violation("a second summary of a table");
        }
        state = State.RECEIVING;
        List<SessionAction> actions = new ArrayList<>();
        actions.add(new SessionAction.Prepare(syn.summaries()));
        actions.add(new SessionAction.Send(new StreamMessage.PrepareSynAck(List.of())));
        actions.addAll(installIfComplete());
        return actions;
    }

    private List<SessionAction> arrived(SessionEvent.Arrived file) {
        if (!promise.arrived(file)) {
            return violation(SessionRules.describe(file));
        }
        List<SessionAction> actions = new ArrayList<>();
        actions.add(new SessionAction.Send(new StreamMessage.Received(file.tableId(), file.sequence())));
        actions.addAll(installIfComplete());
        return actions;
    }

    private List<SessionAction> installIfComplete() {
        if (outstanding() > 0) {
            return List.of();
        }
        state = State.INSTALLING;
        return List.of(new SessionAction.Install());
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
