package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.cassandra.wire.StreamMessage.RangeRequest;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.streaming.session.Transitions;
import java.util.List;
import java.util.Optional;

/**
 * The initiator's end of a session in which only the node sends.
 *
 * <p>Not thread-safe: confined to its owner.
 */
public final class PullSession implements StreamSession {
    /** State of a session. */
    public enum State {
        CONNECTING,
        PREPARING,
        RECEIVING,
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
            rules -> rules.in(State.CONNECTING)
                    .on(SessionEvent.Connected.class, "STREAM_INIT and PREPARE_SYN are sent", State.PREPARING)
                    .in(State.PREPARING)
                    .on(
                            StreamMessage.PrepareSynAck.class,
                            "the node sends its files on its own connections; COMPLETE follows if it has none",
                            State.RECEIVING,
                            State.FAILED)
                    .in(State.RECEIVING)
                    .on(
                            SessionEvent.FileReceived.class,
                            "the node is notified, if it announced the file",
                            State.RECEIVING,
                            State.FAILED)
                    .on(
                            StreamMessage.Complete.class,
                            "all announced files were received",
                            State.COMPLETE,
                            State.FAILED));

    private final StreamMessage.StreamInit init;
    private final List<RangeRequest> requests;
    private final AnnouncedFiles announced = new AnnouncedFiles();
    private final SessionState<State> standing =
            new SessionState<>(RULES, State.CONNECTING, State.FAILED, "the node", this::outstanding);

    /** Starts in state CONNECTING. */
    public PullSession(StreamMessage.StreamInit init, List<RangeRequest> requests) {
        this.init = init;
        this.requests = List.copyOf(requests);
    }

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
        if (event instanceof SessionEvent.Connected) {
            standing.move(State.PREPARING);
            return List.of(
                    new SessionAction.Send(init),
                    new SessionAction.Send(new StreamMessage.PrepareSyn(requests, List.of())));
        }
        if (event instanceof SessionEvent.FileReceived e) {
            return fileReceived(e);
        }
        Control message = event instanceof SessionEvent.Received e ? e.message() : null;
        if (message instanceof StreamMessage.PrepareSynAck m) {
            return announced(m.summaries());
        }
        if (message instanceof StreamMessage.Complete && outstanding() == 0) {
            standing.move(State.COMPLETE);
            return List.of(new SessionAction.Finish(Optional.empty()));
        }
        return standing.handle(event);
    }

    private List<SessionAction> announced(List<Summary> summaries) {
        standing.move(State.RECEIVING);
        if (!announced.add(summaries)) {
            return standing.violation("a second summary of a table");
        }
        return summaries.isEmpty()
                ? List.of()
                : List.of(new SessionAction.Prepare(summaries), new SessionAction.Send(new StreamMessage.PrepareAck()));
    }

    private List<SessionAction> fileReceived(SessionEvent.FileReceived file) {
        if (!announced.received(file)) {
            return standing.violation(SessionRules.describe(file));
        }
        return List.of(new SessionAction.Send(new StreamMessage.Received(file.tableId(), file.sequence())));
    }
}
