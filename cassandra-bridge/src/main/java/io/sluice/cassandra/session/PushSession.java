package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.cassandra.wire.StreamMessage.Summary;
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
    /** State of a session. */
    public enum State {
        CONNECTING,
        PREPARING,
        STREAMING,
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
            "the node keeps nothing of an unfinished table",
            rules -> rules.in(State.CONNECTING)
                    .on(SessionEvent.Connected.class, "STREAM_INIT and PREPARE_SYN are sent", State.PREPARING)
                    .in(State.PREPARING)
                    .on(
                            StreamMessage.PrepareSynAck.class,
                            "the node is ready: the files are sent; it must not request any",
                            State.STREAMING,
                            State.FAILED)
                    .in(State.STREAMING)
                    .on(
                            StreamMessage.Received.class,
                            "the node received a file, which is not durable yet",
                            State.STREAMING,
                            State.FAILED)
                    .on(
                            StreamMessage.Complete.class,
                            "all files are received, durable and live",
                            State.COMPLETE,
                            State.FAILED));

    /** Identifies a file of the session, as the node does when it confirms it. */
    public record FileId(UUID tableId, int sequence) {}

    private final StreamMessage.StreamInit init;
    private final List<Summary> summaries;
    private final Set<FileId> outstanding;
    private final SessionState<State> standing =
            new SessionState<>(RULES, State.CONNECTING, State.FAILED, "the node", this::outstanding);

    /**
     * Starts in state CONNECTING.
     *
     * @param summaries what to announce: exactly what the files add up to
     * @param files all that will be sent, at least one
     */
    public PushSession(StreamMessage.StreamInit init, List<Summary> summaries, Set<FileId> files) {
        this.init = init;
        this.summaries = List.copyOf(summaries);
        this.outstanding = new HashSet<>(files);
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
        return outstanding.size();
    }

    @Override
    public boolean isLeftToPeer() {
        return state() == State.STREAMING && outstanding.isEmpty();
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
                    new SessionAction.Send(new StreamMessage.PrepareSyn(List.of(), summaries)));
        }
        Control message = event instanceof SessionEvent.Received e ? e.message() : null;
        if (message instanceof StreamMessage.PrepareSynAck m && m.summaries().isEmpty()) {
            standing.move(State.STREAMING);
            return List.of(new SessionAction.Transmit());
        }
        if (message instanceof StreamMessage.Received m && outstanding.remove(new FileId(m.tableId(), m.sequence()))) {
            return List.of();
        }
        if (message instanceof StreamMessage.Complete && outstanding.isEmpty()) {
            standing.move(State.COMPLETE);
            return List.of(new SessionAction.Finish(Optional.empty()));
        }
        return standing.handle(event);
    }
}
