package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The follower's end of a session: a node, or its bulk loader, began it, and sends.
 *
 * <pre>
 * state      event                            -> state      because
 * WAITING    STREAM_INIT                      -> PREPARING
 * PREPARING  PREPARE_SYN that asks nothing    -> RECEIVING  PREPARE_SYNACK is sent: the files may come
 * PREPARING  PREPARE_SYN that asks for ranges -> FAILED     there is nothing here to send; the node is told
 * RECEIVING  Arrived, within the promise      -> RECEIVING  the node is told
 * RECEIVING  Arrived, the last one            -> INSTALLING the node is told, and all that came becomes live
 * INSTALLING Installed                        -> LEAVING    COMPLETE is sent
 * LEAVING    PeerLost, or anything            -> COMPLETE   who began the session closes it; what is live stays
 * not final  SESSION_FAILED, PeerLost         -> FAILED     what arrived is worth nothing
 * not final  Failed                           -> FAILED     the node is told
 * not final  KEEP_ALIVE                       -> same
 * not final  any other                        -> FAILED     a violation of the protocol
 * final      any                              -> same       too late to matter
 * </pre>
 *
 * A node that is told COMPLETE before it closes its connections takes a close of ours for a failure: hence LEAVING. Not
 * thread-safe: confined to its owner.
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
        if (event instanceof SessionEvent.Installed && state == State.INSTALLING) {
            state = State.LEAVING;
            return List.of(new SessionAction.Send(new StreamMessage.Complete()));
        }
        if (event instanceof SessionEvent.PeerLost e) {
            return finish(new Failure(ErrorCode.PEER_LOST, e.reason()));
        }
        if (event instanceof SessionEvent.Failed e) {
            return failAndTell(e.failure());
        }
        throw new AssertionError("no rule for " + event + " in state " + state);
    }

    private List<SessionAction> received(Control message) {
        if (message instanceof StreamMessage.SessionFailed) {
            return finish(new Failure(
                    ErrorCode.PEER_LOST, "the sender gave the session up in state " + state + "; its log says why"));
        }
        if (message instanceof StreamMessage.StreamInit init && state == State.WAITING) {
            return begin(init);
        }
        if (message instanceof StreamMessage.PrepareSyn syn && state == State.PREPARING) {
            return prepare(syn);
        }
        return violation(message.getClass().getSimpleName());
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
        if (state != State.RECEIVING || !promise.arrived(file)) {
            return violation("file " + file.sequence() + " of table " + file.tableId());
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
