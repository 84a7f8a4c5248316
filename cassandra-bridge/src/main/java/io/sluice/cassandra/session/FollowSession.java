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
 * <p>A node that receives COMPLETE before it closes its connections takes a close of ours for a failure: hence LEAVING.
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

    /** What may happen when, and where it leads. */
    static final Transitions<State> RULES = SessionRules.table(
            State.class,
            State::isFinal,
            State.FAILED,
            "what has arrived is worth nothing",
            rules -> rules.in(State.WAITING)
                    .on(
                            StreamMessage.StreamInit.class,
                            "bulk load, rebuild or full repair; incremental repair is refused",
                            State.PREPARING,
                            State.FAILED)
                    .in(State.PREPARING)
                    .on(
                            StreamMessage.PrepareSyn.class,
                            "PREPARE_SYNACK is sent: the files may come; whoever asks for ranges is refused",
                            State.RECEIVING,
                            State.INSTALLING,
                            State.FAILED)
                    .in(State.RECEIVING)
                    .on(
                            SessionEvent.FileReceived.class,
                            "the node is notified; after the last file all that came becomes live",
                            State.RECEIVING,
                            State.INSTALLING,
                            State.FAILED)
                    .in(State.INSTALLING)
                    .on(SessionEvent.Installed.class, "COMPLETE is sent", State.LEAVING)
                    .in(State.LEAVING)
                    .anything(
                            StreamMessage.KeepAlive.class,
                            "who began the session closes it; what is live stays",
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
                            + " are asked for (expected: files that come; take ours by ./sluice load)"));
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
