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
public final class PushSession {
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

    /** What happens to the session. */
    public sealed interface Event {
        /** The control connection is there, and versions are agreed. */
        record Connected() implements Event {}

        /** A message of the control connection. */
        record Received(Control message) implements Event {}

        /** A connection of the session is gone. */
        record PeerLost(String reason) implements Event {}

        /** Something failed at this end. */
        record Failed(Failure failure) implements Event {}
    }

    /** What the owner is to do, in order. */
    public sealed interface Action {
        /** Send on the control connection. */
        record Send(Control message) implements Action {}

        /** Send all files, on any connections, and keep these open until the end. */
        record Transmit() implements Action {}

        /** The session is over: close all connections; empty if it succeeded. */
        record Finish(Optional<Failure> failure) implements Action {}
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

    public State state() {
        return state;
    }

    /** Files that the node has not confirmed. */
    public int outstandingFiles() {
        return outstanding.size();
    }

    /** What to do about {@code event}, in order. */
    public List<Action> on(Event event) {
        if (state.isFinal()) {
            return List.of();
        }
        if (event instanceof Event.Connected) {
            return connected();
        }
        if (event instanceof Event.Received e) {
            return received(e.message());
        }
        if (event instanceof Event.PeerLost e) {
            return finish(new Failure(ErrorCode.PEER_LOST, e.reason()));
        }
        if (event instanceof Event.Failed e) {
            return failAndTell(e.failure());
        }
        throw new AssertionError("no rule for " + event);
    }

    private List<Action> connected() {
        if (state != State.CONNECTING) {
            return violation("a second connection");
        }
        state = State.PREPARING;
        return List.of(new Action.Send(init), new Action.Send(new StreamMessage.PrepareSyn(List.of(), summaries)));
    }

    private List<Action> received(Control message) {
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
            return List.of(new Action.Transmit());
        }
        if (message instanceof StreamMessage.Received m
                && state == State.STREAMING
                && outstanding.remove(new FileId(m.tableId(), m.sequence()))) {
            return List.of();
        }
        if (message instanceof StreamMessage.Complete && state == State.STREAMING && outstanding.isEmpty()) {
            state = State.COMPLETE;
            return List.of(new Action.Finish(Optional.empty()));
        }
        return violation(message.getClass().getSimpleName());
    }

    private List<Action> violation(String what) {
        return failAndTell(new Failure(
                ErrorCode.PROTOCOL,
                what + " came in state " + state + ", with " + outstanding.size() + " files to go"));
    }

    private List<Action> failAndTell(Failure failure) {
        state = State.FAILED;
        return List.of(new Action.Send(new StreamMessage.SessionFailed()), new Action.Finish(Optional.of(failure)));
    }

    private List<Action> finish(Failure failure) {
        state = State.FAILED;
        return List.of(new Action.Finish(Optional.of(failure)));
    }
}
