package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The initiator's end of a session: asks for ranges, fetches what is offered, has it verified and installed.
 *
 * <pre>
 * state         event                          -> state          because
 * INITIALIZED   Connected                      -> PREPARING      the ranges are asked for
 * PREPARING     PrepareSynAck, not the last    -> PREPARING      more offers follow
 * PREPARING     PrepareSynAck, the last        -> PREPARING      files for all offers are prepared
 * PREPARING     Prepared, with offers          -> STREAMING      data connections are opened
 * PREPARING     Prepared, nothing offered      -> WAIT_INSTALL   there is nothing to fetch
 * STREAMING     DataConnected                  -> STREAMING      a first window of extents is fetched on it
 * STREAMING     Arrived                        -> STREAMING      the next extents are fetched
 * STREAMING     Staged, not the last           -> STREAMING      the peer is told
 * STREAMING     Staged, the last               -> WAIT_INSTALL   everything asked for has landed
 * STREAMING     TableInstalled                 -> STREAMING      the peer is told: it may unpin that table
 * WAIT_INSTALL  TableInstalled, not the last   -> WAIT_INSTALL   likewise
 * WAIT_INSTALL  TableInstalled, the last       -> WAIT_COMPLETE  likewise
 * WAIT_COMPLETE DataConnected                  -> WAIT_COMPLETE  too late to be of use
 * WAIT_COMPLETE Complete, PeerLost             -> COMPLETE       all is installed here: the peer cannot undo that
 * not final     SessionFailed, PeerLost, Failed -> FAILED        nothing more will be installed
 * not final     any other                      -> FAILED         a violation of the protocol
 * final         any                            -> same           too late to matter
 * </pre>
 *
 * Not thread-safe: confined to its owner's event loop.
 */
public final class ReceivingSession {
    /** Where a session stands. */
    public enum State {
        INITIALIZED,
        PREPARING,
        STREAMING,
        WAIT_INSTALL,
        WAIT_COMPLETE,
        COMPLETE,
        FAILED;

        /** Whether nothing can happen any more. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }

    /** What happens to the session. */
    public sealed interface Event {
        /** The control connection is open and both ends know each other. */
        record Connected() implements Event {}

        /** A message of the control connection. */
        record Received(Message message) implements Event {}

        /** Room and files for all offers are there. */
        record Prepared() implements Event {}

        /** A data connection is open. */
        record DataConnected(int connection) implements Event {}

        /** All bytes of an extent were written to its file; {@code crc32} is theirs. */
        record Arrived(int connection, Extent extent, long crc32) implements Event {}

        /** An SSTable is complete, durable and could be opened. */
        record Staged(int offer) implements Event {}

        /** All SSTables of a table, from all sources of the plan, are live. */
        record TableInstalled(UUID tableId) implements Event {}

        /** The control connection, or a data connection, is gone. */
        record PeerLost(String reason) implements Event {}

        /** Something failed at this end, or the plan is given up. */
        record Failed(Failure failure) implements Event {}
    }

    /** What the owner is to do, in order. */
    public sealed interface Action {
        /** Send on the control connection. */
        record Send(Message message) implements Action {}

        /** Reserve room and make files for these, then answer {@link Event.Prepared} or {@link Event.Failed}. */
        record Prepare(List<SSTableOffer> offers) implements Action {}

        /** Open that many data connections. */
        record OpenDataConnections(int count) implements Action {}

        /** Send a fetch on a data connection. */
        record Fetch(int connection, List<Extent> extents) implements Action {}

        /** Make the SSTable durable, open and check it, then answer {@link Event.Staged} or {@link Event.Failed}. */
        record Stage(SSTableOffer offer) implements Action {}

        /** Everything of that table from this peer has landed. */
        record TableLanded(UUID tableId) implements Action {}

        /** Write to the log that something went wrong and will be tried again. */
        record Warn(String what) implements Action {}

        /** The session is over: close its connections; empty if it succeeded. */
        record Finish(Optional<Failure> failure) implements Action {}
    }

    /** Bytes asked for ahead on each data connection: enough to keep it busy over any round trip of a data centre. */
    private static final long WINDOW_BYTES = 4L * Arrivals.EXTENT_LENGTH_BYTES;

    private final Operation operation;
    private final List<Message.TableRequest> requests;
    private final int connections;
    private final Arrivals arrivals = new Arrivals();
    private final List<SSTableOffer> offers = new ArrayList<>();
    private final Map<UUID, Integer> unstaged = new HashMap<>();
    private final Set<UUID> uninstalled = new HashSet<>();
    private final Map<Integer, Long> inFlightBytes = new HashMap<>();
    private State state = State.INITIALIZED;

    /**
     * A session that is about to ask for {@code requests}.
     *
     * @param requests at most one per table
     * @param connections data connections to open, at least 1
     */
    public ReceivingSession(Operation operation, List<Message.TableRequest> requests, int connections) {
        this.operation = operation;
        this.requests = List.copyOf(requests);
        this.connections = connections;
        requests.forEach(request -> uninstalled.add(request.tableId()));
    }

    public State state() {
        return state;
    }

    /** A sample of the progress, for the session's peer. */
    public SessionProgress progress(Node peer) {
        return new SessionProgress(
                peer,
                state.name(),
                arrivals.sstablesTotal(),
                arrivals.filesTotal(),
                arrivals.filesArrived(),
                arrivals.bytesTotal(),
                arrivals.bytesArrived());
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
        if (event instanceof Event.Prepared) {
            return prepared();
        }
        if (event instanceof Event.DataConnected e) {
            return switch (state) {
                case STREAMING, WAIT_INSTALL -> fetchMore(e.connection());
                case WAIT_COMPLETE -> List.of();
                default -> violation("DataConnected");
            };
        }
        if (event instanceof Event.Arrived e) {
            return arrived(e);
        }
        if (event instanceof Event.Staged e) {
            return staged(e.offer());
        }
        if (event instanceof Event.TableInstalled e) {
            return tableInstalled(e.tableId());
        }
        if (event instanceof Event.PeerLost e) {
            return peerLost(e.reason());
        }
        if (event instanceof Event.Failed e) {
            return failAndTell(e.failure());
        }
        throw new AssertionError("no rule for " + event);
    }

    private List<Action> connected() {
        if (state != State.INITIALIZED) {
            return violation("Connected");
        }
        state = State.PREPARING;
        return List.of(
                new Action.Send(new Message.StreamInit(operation.code())),
                new Action.Send(new Message.PrepareSyn(requests)));
    }

    private List<Action> received(Message message) {
        if (message instanceof Message.KeepAlive) {
            return List.of();
        }
        if (message instanceof Message.SessionFailed m) {
            return finish(Optional.of(new Failure(m.code(), m.reason())));
        }
        if (message instanceof Message.PrepareSynAck m && state == State.PREPARING && isAskedFor(m.offers())) {
            offers.addAll(m.offers());
            return m.last() ? List.of(new Action.Prepare(List.copyOf(offers))) : List.of();
        }
        if (message instanceof Message.Complete && state == State.WAIT_COMPLETE) {
            return finish(Optional.empty());
        }
        return violation(message.getClass().getSimpleName());
    }

    private boolean isAskedFor(List<SSTableOffer> page) {
        int expected = offers.size();
        for (SSTableOffer offer : page) {
            if (!uninstalled.contains(offer.tableId()) || offer.number() != expected++) {
                return false;
            }
        }
        return true;
    }

    private List<Action> prepared() {
        if (state != State.PREPARING) {
            return violation("Prepared");
        }
        requests.forEach(request -> unstaged.put(request.tableId(), 0));
        for (SSTableOffer offer : offers) {
            unstaged.merge(offer.tableId(), 1, Integer::sum);
            arrivals.expect(offer);
        }
        state = offers.isEmpty() ? State.WAIT_INSTALL : State.STREAMING;
        List<Action> actions = new ArrayList<>(List.of(new Action.Send(new Message.PrepareAck())));
        if (!offers.isEmpty()) {
            actions.add(new Action.OpenDataConnections(connections));
        }
        unstaged.forEach((table, count) -> {
            if (count == 0) {
                actions.add(new Action.TableLanded(table));
            }
        });
        return actions;
    }

    private List<Action> arrived(Event.Arrived event) {
        if (state != State.STREAMING) {
            return violation("Arrived");
        }
        inFlightBytes.merge(event.connection(), (long) -event.extent().lengthBytes(), Long::sum);
        List<Action> actions = new ArrayList<>();
        Arrivals.Outcome outcome = arrivals.arrived(event.extent(), event.crc32());
        if (outcome instanceof Arrivals.Outcome.Unasked) {
            return violation("an extent that was not fetched");
        }
        if (outcome instanceof Arrivals.Outcome.Corrupt damage) {
            ErrorCode code = damage.atSource() ? ErrorCode.CORRUPT_AT_SOURCE : ErrorCode.CORRUPT_IN_FLIGHT;
            return failAndTell(new Failure(code, damage.reason()));
        }
        if (outcome instanceof Arrivals.Outcome.Again damage) {
            actions.add(new Action.Warn(damage.reason()));
        }
        if (outcome instanceof Arrivals.Outcome.SSTableWhole whole) {
            actions.add(new Action.Stage(whole.offer()));
        }
        actions.addAll(fetchMore(event.connection()));
        return actions;
    }

    private List<Action> fetchMore(int connection) {
        long inFlight = inFlightBytes.getOrDefault(connection, 0L);
        if (inFlight > WINDOW_BYTES / 2) {
            return List.of();
        }
        List<Extent> extents = arrivals.next(WINDOW_BYTES - inFlight);
        if (extents.isEmpty()) {
            return List.of();
        }
        long added = extents.stream().mapToLong(Extent::lengthBytes).sum();
        inFlightBytes.merge(connection, added, Long::sum);
        return List.of(new Action.Fetch(connection, extents));
    }

    private List<Action> staged(int number) {
        if (state != State.STREAMING) {
            return violation("Staged");
        }
        List<Action> actions = new ArrayList<>(List.of(new Action.Send(new Message.Received(number))));
        UUID table = offers.get(number).tableId();
        if (unstaged.merge(table, -1, Integer::sum) == 0) {
            actions.add(new Action.TableLanded(table));
        }
        if (unstaged.values().stream().allMatch(count -> count == 0)) {
            state = State.WAIT_INSTALL;
        }
        return actions;
    }

    private List<Action> tableInstalled(UUID tableId) {
        boolean landed = state == State.STREAMING || state == State.WAIT_INSTALL;
        if (!landed || !uninstalled.remove(tableId)) {
            return violation("TableInstalled");
        }
        if (uninstalled.isEmpty()) {
            state = State.WAIT_COMPLETE;
        }
        return List.of(new Action.Send(new Message.Installed(tableId)));
    }

    private List<Action> peerLost(String reason) {
        // A peer that goes when everything is installed here is done, not failed.
        return state == State.WAIT_COMPLETE
                ? finish(Optional.empty())
                : finish(Optional.of(new Failure(ErrorCode.PEER_LOST, reason)));
    }

    private List<Action> violation(String what) {
        return failAndTell(new Failure(ErrorCode.PROTOCOL, what + " came in state " + state));
    }

    private List<Action> failAndTell(Failure failure) {
        List<Action> actions = new ArrayList<>();
        actions.add(new Action.Send(new Message.SessionFailed(failure.code(), failure.reason())));
        actions.addAll(finish(Optional.of(failure)));
        return actions;
    }

    private List<Action> finish(Optional<Failure> failure) {
        state = failure.isPresent() ? State.FAILED : State.COMPLETE;
        return List.of(new Action.Finish(failure));
    }
}
