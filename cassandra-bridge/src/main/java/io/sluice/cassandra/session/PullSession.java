package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.cassandra.wire.StreamMessage.RangeRequest;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The initiator's end of a session in which only the node sends.
 *
 * <pre>
 * state      event                          -> state      because
 * CONNECTING Connected                      -> PREPARING  STREAM_INIT and PREPARE_SYN are sent
 * PREPARING  PREPARE_SYNACK with files      -> RECEIVING  the node will send them, on connections of its own
 * PREPARING  PREPARE_SYNACK without files   -> RECEIVING  nothing is in the ranges; COMPLETE follows
 * RECEIVING  Arrived, within the promise    -> RECEIVING  the node is told
 * RECEIVING  COMPLETE, all arrived          -> COMPLETE   all that was promised is here
 * not final  SESSION_FAILED, PeerLost       -> FAILED     what arrived is worth nothing
 * not final  Failed                         -> FAILED     the node is told
 * not final  KEEP_ALIVE                     -> same
 * not final  any other                      -> FAILED     a violation of the protocol
 * final      any                            -> same       too late to matter
 * </pre>
 *
 * Not thread-safe: confined to its owner.
 */
public final class PullSession {
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

    /** What happens to the session. */
    public sealed interface Event {
        /** The control connection is there, and versions are agreed. */
        record Connected() implements Event {}

        /** A message of the control connection. */
        record Received(Control message) implements Event {}

        /**
         * All bytes of a file are on our disk.
         *
         * @param counted how much of the promise it is: its components if it is whole, else 1
         */
        record Arrived(UUID tableId, int sequence, int counted) implements Event {}

        /** A connection of the session is gone. */
        record PeerLost(String reason) implements Event {}

        /** Something failed at this end. */
        record Failed(Failure failure) implements Event {}
    }

    /** What the owner is to do, in order. */
    public sealed interface Action {
        /** Send on the control connection. */
        record Send(Control message) implements Action {}

        /** The session is over: close all connections; empty if all is here. */
        record Finish(Optional<Failure> failure) implements Action {}
    }

    private record FileId(UUID tableId, int sequence) {}

    private final StreamMessage.StreamInit init;
    private final List<RangeRequest> requests;
    private final Map<UUID, Integer> outstanding = new HashMap<>();
    private final Set<FileId> arrived = new HashSet<>();
    private List<Summary> promised = List.of();
    private State state = State.CONNECTING;

    /** A session that is to be connected. */
    public PullSession(StreamMessage.StreamInit init, List<RangeRequest> requests) {
        this.init = init;
        this.requests = List.copyOf(requests);
    }

    public State state() {
        return state;
    }

    /** What the node has promised; none before it has said so. */
    public List<Summary> promised() {
        return promised;
    }

    /** How much of the promise is not here: components of whole SSTables, and parts. */
    public int outstanding() {
        return outstanding.values().stream().mapToInt(Integer::intValue).sum();
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
        if (event instanceof Event.Arrived e) {
            return arrived(e);
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
        return List.of(new Action.Send(init), new Action.Send(new StreamMessage.PrepareSyn(requests, List.of())));
    }

    private List<Action> received(Control message) {
        if (message instanceof StreamMessage.KeepAlive) {
            return List.of();
        }
        if (message instanceof StreamMessage.SessionFailed) {
            return finish(new Failure(
                    ErrorCode.PEER_LOST, "the node gave the session up in state " + state + "; its log says why"));
        }
        if (message instanceof StreamMessage.PrepareSynAck m && state == State.PREPARING) {
            return promised(m.summaries());
        }
        if (message instanceof StreamMessage.Complete && state == State.RECEIVING && outstanding() == 0) {
            state = State.COMPLETE;
            return List.of(new Action.Finish(Optional.empty()));
        }
        return violation(message.getClass().getSimpleName());
    }

    private List<Action> promised(List<Summary> summaries) {
        state = State.RECEIVING;
        promised = List.copyOf(summaries);
        for (Summary summary : summaries) {
            if (outstanding.put(summary.tableId(), summary.files()) != null) {
                return violation("a second summary of table " + summary.tableId());
            }
        }
        return summaries.isEmpty() ? List.of() : List.of(new Action.Send(new StreamMessage.PrepareAck()));
    }

    private List<Action> arrived(Event.Arrived file) {
        Integer left = outstanding.get(file.tableId());
        boolean isNew = arrived.add(new FileId(file.tableId(), file.sequence()));
        if (state != State.RECEIVING || left == null || !isNew || file.counted() < 1 || file.counted() > left) {
            return violation("file " + file.sequence() + " of table " + file.tableId());
        }
        outstanding.put(file.tableId(), left - file.counted());
        return List.of(new Action.Send(new StreamMessage.Received(file.tableId(), file.sequence())));
    }

    private List<Action> violation(String what) {
        return failAndTell(new Failure(
                ErrorCode.PROTOCOL, what + " came in state " + state + ", with " + outstanding() + " files to go"));
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
