package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The initiator's end of a session in which only we send.
 *
 * <pre>
 * state      event                       -> state      because
 * CONNECTING Connected                   -> PREPARING  STREAM_INIT and PREPARE_SYN are sent
 * PREPARING  PREPARE_SYNACK              -> STREAMING  the node has made room: the files may go
 * PREPARING  PREPARE_SYNACK with files   -> FAILED     nothing was asked for
 * STREAMING  RECEIVED, a file of ours    -> STREAMING  noted; it is not durable yet
 * STREAMING  COMPLETE, all received      -> COMPLETE   everything is durable and live
 * not final  SESSION_FAILED, PeerLost    -> FAILED     the node keeps nothing of an unfinished table
 * not final  Failed                      -> FAILED     the node is told
 * not final  KEEP_ALIVE                  -> same
 * not final  any other                   -> FAILED     a violation of the protocol
 * final      any                         -> same       too late to matter
 * </pre>
 *
 * Not thread-safe: confined to its owner.
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
        if (event instanceof SessionEvent.Connected) {
            return connected();
        }
        if (event instanceof SessionEvent.Received e) {
            return received(e.message());
        }
        if (event instanceof SessionEvent.PeerLost e) {
            return finish(new Failure(ErrorCode.PEER_LOST, e.reason()));
        }
        if (event instanceof SessionEvent.Failed e) {
            return failAndTell(e.failure());
        }
        throw new AssertionError("no rule for " + event);
    }

    private List<SessionAction> connected() {
        if (state != State.CONNECTING) {
            return violation("a second connection");
        }
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
        if (message instanceof StreamMessage.PrepareSynAck m
                && state == State.PREPARING
                && m.summaries().isEmpty()) {
            state = State.STREAMING;
            return List.of(new SessionAction.Transmit());
        }
        if (message instanceof StreamMessage.Received m
                && state == State.STREAMING
                && outstanding.remove(new FileId(m.tableId(), m.sequence()))) {
            return List.of();
        }
        if (message instanceof StreamMessage.Complete && state == State.STREAMING && outstanding.isEmpty()) {
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
