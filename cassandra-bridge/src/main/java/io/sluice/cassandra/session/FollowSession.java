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
 * The follower's end of a session that a node, or its bulk loader, started and in which it sends.
 *
 * <p>State LEAVING exists because a node that receives COMPLETE treats it as a failure if we close its connections
 * before it does. Not thread-safe: confined to its owner.
 */
public final class FollowSession implements StreamSession {
    /** State of a session. */
    public enum State {
        WAITING,
        PREPARING,
        RECEIVING,
        INSTALLING,
        LEAVING,
        COMPLETE,
        FAILED;

        /** Whether the state is final. */
        boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }

    /** The state table. */
    static final Transitions<State> RULES = SessionRules.table(
            State.class,
            State::isFinal,
            State.FAILED,
            "received files are discarded",
            rules -> rules.in(State.WAITING)
                    .on(
                            StreamMessage.StreamInit.class,
                            "bulk load, rebuild or full repair; incremental repair is refused",
                            State.PREPARING,
                            State.FAILED)
                    .in(State.PREPARING)
                    .on(
                            StreamMessage.PrepareSyn.class,
                            "PREPARE_SYNACK is sent, and files follow; a request for ranges is refused",
                            State.RECEIVING,
                            State.INSTALLING,
                            State.FAILED)
                    .in(State.RECEIVING)
                    .on(
                            SessionEvent.FileReceived.class,
                            "the node is notified; after the last file, all received files become live",
                            State.RECEIVING,
                            State.INSTALLING,
                            State.FAILED)
                    .in(State.INSTALLING)
                    .on(SessionEvent.Installed.class, "COMPLETE is sent", State.LEAVING)
                    .in(State.LEAVING)
                    .anything(
                            StreamMessage.KeepAlive.class,
                            "the initiator closes the session; live files stay",
                            State.COMPLETE));

    private final AnnouncedFiles announced = new AnnouncedFiles();
    private final SessionState<State> standing =
            new SessionState<>(RULES, State.WAITING, State.FAILED, "the sender", this::outstanding);

    @Override
    public boolean hasFailed() {
        return state() == State.FAILED;
    }

    @Override
    public State state() {
        return standing.state();
    }

    @Override
    public long outstanding() {
        return announced.outstanding();
    }

    @Override
    public List<SessionAction> on(SessionEvent event) {
        return standing.on(event, this::handle);
    }

    @Override
    public String because() {
        return standing.because();
    }

    private List<SessionAction> handle(SessionEvent event) {
        Control message = event instanceof SessionEvent.Received e ? e.message() : null;
        if (state() == State.LEAVING && !(message instanceof StreamMessage.KeepAlive)) {
            standing.move(State.COMPLETE);
            return List.of(new SessionAction.Finish(Optional.empty()));
        }
        if (message instanceof StreamMessage.StreamInit init) {
            return begin(init);
        }
        if (message instanceof StreamMessage.PrepareSyn syn) {
            return prepare(syn);
        }
        if (event instanceof SessionEvent.FileReceived e) {
            return fileReceived(e);
        }
        if (event instanceof SessionEvent.Installed) {
            standing.move(State.LEAVING);
            return List.of(new SessionAction.Send(new StreamMessage.Complete()));
        }
        return standing.handle(event);
    }

    private List<SessionAction> begin(StreamMessage.StreamInit init) {
        standing.move(State.PREPARING);
        if (init.previewKind() != 0 || init.pendingRepair().isPresent()) {
            return standing.failAndNotify(new Failure(
                    ErrorCode.PROTOCOL,
                    "the session is part of an incremental repair, or of the preview of one (expected: bulk load,"
                            + " rebuild, or full repair)"));
        }
        return List.of();
    }

    private List<SessionAction> prepare(StreamMessage.PrepareSyn syn) {
        if (!syn.requests().isEmpty()) {
            return standing.failAndNotify(new Failure(
                    ErrorCode.PROTOCOL,
                    "ranges of " + syn.requests().get(0).keyspace()
                            + " are requested (expected: files; ./sluice load sends ours)"));
        }
        if (!announced.add(syn.summaries())) {
            return standing.violation("a second summary of a table");
        }
        standing.move(State.RECEIVING);
        List<SessionAction> actions = new ArrayList<>();
        actions.add(new SessionAction.Prepare(syn.summaries()));
        actions.add(new SessionAction.Send(new StreamMessage.PrepareSynAck(List.of())));
        actions.addAll(installIfComplete());
        return actions;
    }

    private List<SessionAction> fileReceived(SessionEvent.FileReceived file) {
        if (!announced.received(file)) {
            return standing.violation(SessionRules.describe(file));
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
        standing.move(State.INSTALLING);
        return List.of(new SessionAction.Install());
    }
}
