package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The follower's end of a session: pins what is asked for, offers it, sends what is fetched, unpins what is installed.
 *
 * <pre>
 * state       event                        -> state       because
 * INITIALIZED PrepareSyn                   -> PREPARING   the tables are to be pinned
 * PREPARING   Pinned                       -> PREPARING   the offers are sent, page by page
 * PREPARING   PrepareAck, or a first Fetch -> STREAMING   the receiver has room; the two come on different connections
 * STREAMING   Fetch                        -> STREAMING   the extents are sent
 * STREAMING   PrepareAck                   -> STREAMING   a Fetch has overtaken it
 * STREAMING   Received                     -> STREAMING   noted
 * STREAMING   Installed, not the last      -> STREAMING   that table is unpinned
 * STREAMING   Installed, the last          -> COMPLETE    nothing is pinned any more
 * not final   SessionFailed, PeerLost, Failed -> FAILED   everything is unpinned
 * not final   any other                    -> FAILED      a violation of the protocol
 * final       any                          -> same        too late to matter
 * </pre>
 *
 * Not thread-safe: confined to its owner's event loop.
 */
public final class SendingSession {
    /** Where a session stands. */
    public enum State {
        INITIALIZED,
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
        /** A message of the control connection. */
        record Received(Message message) implements Event {}

        /** A fetch of a data connection. */
        record Fetched(int connection, List<Extent> extents) implements Event {}

        /** The tables are pinned, and this is what they hold. */
        record Pinned(List<SSTableOffer> offers) implements Event {}

        /** The control connection, or a data connection, is gone. */
        record PeerLost(String reason) implements Event {}

        /** Something failed at this end. */
        record Failed(Failure failure) implements Event {}
    }

    /** What the owner is to do, in order. */
    public sealed interface Action {
        /** Pin these tables, then answer {@link Event.Pinned} or {@link Event.Failed}. */
        record Pin(List<Message.TableRequest> requests) implements Action {}

        /** Send on the control connection. */
        record Send(Message message) implements Action {}

        /** Send the extents on that data connection. */
        record Transmit(int connection, List<Extent> extents) implements Action {}

        /** Give the files of one table back. */
        record Unpin(UUID tableId) implements Action {}

        /** The session is over: give everything back, close connections; empty if it succeeded. */
        record Finish(java.util.Optional<Failure> failure) implements Action {}
    }

    private static final int OFFERS_PER_PAGE = 500;

    private State state = State.INITIALIZED;
    private final Set<UUID> pinned = new HashSet<>();
    private List<SSTableOffer> offers = List.of();

    public State state() {
        return state;
    }

    /** What to do about {@code event}, in order. */
    public List<Action> on(Event event) {
        if (state.isFinal()) {
            return List.of();
        }
        if (event instanceof Event.Received e) {
            return received(e.message());
        }
        if (event instanceof Event.Fetched e) {
            return fetched(e);
        }
        if (event instanceof Event.Pinned e) {
            return pinned(e.offers());
        }
        if (event instanceof Event.PeerLost e) {
            return finish(new Failure(ErrorCode.PEER_LOST, e.reason()));
        }
        if (event instanceof Event.Failed e) {
            return failAndTell(e.failure());
        }
        throw new AssertionError("no rule for " + event);
    }

    private List<Action> received(Message message) {
        if (message instanceof Message.KeepAlive || message instanceof Message.StreamInit) {
            return List.of();
        }
        if (message instanceof Message.SessionFailed m) {
            return finish(new Failure(m.code(), m.reason()));
        }
        if (message instanceof Message.PrepareSyn m && state == State.INITIALIZED) {
            state = State.PREPARING;
            m.requests().forEach(request -> pinned.add(request.tableId()));
            return List.of(new Action.Pin(m.requests()));
        }
        if (message instanceof Message.PrepareAck && (state == State.PREPARING || state == State.STREAMING)) {
            state = State.STREAMING;
            return List.of();
        }
        if (message instanceof Message.Received m && state == State.STREAMING && m.offer() < offers.size()) {
            return List.of();
        }
        if (message instanceof Message.Installed m && state == State.STREAMING && pinned.remove(m.tableId())) {
            return installed(m.tableId());
        }
        return violation(message.getClass().getSimpleName());
    }

    private List<Action> installed(UUID tableId) {
        List<Action> actions = new ArrayList<>(List.of(new Action.Unpin(tableId)));
        if (pinned.isEmpty()) {
            state = State.COMPLETE;
            actions.add(new Action.Send(new Message.Complete()));
            actions.add(new Action.Finish(java.util.Optional.empty()));
        }
        return actions;
    }

    private List<Action> fetched(Event.Fetched event) {
        if (state != State.STREAMING && state != State.PREPARING) {
            return violation("Fetch");
        }
        for (Extent extent : event.extents()) {
            if (!isOffered(extent)) {
                return violation("Fetch of bytes that were not offered");
            }
        }
        state = State.STREAMING;
        return List.of(new Action.Transmit(event.connection(), event.extents()));
    }

    private boolean isOffered(Extent extent) {
        if (extent.offer() >= offers.size()) {
            return false;
        }
        SSTableOffer offer = offers.get(extent.offer());
        return pinned.contains(offer.tableId())
                && offer.manifest(extent.component())
                        .map(ComponentManifest::lengthBytes)
                        .filter(length -> extent.end() <= length)
                        .isPresent();
    }

    private List<Action> pinned(List<SSTableOffer> pinnedOffers) {
        if (state != State.PREPARING) {
            return violation("Pinned");
        }
        offers = List.copyOf(pinnedOffers);
        List<Action> pages = new ArrayList<>();
        int from = 0;
        do {
            int to = Math.min(from + OFFERS_PER_PAGE, offers.size());
            pages.add(new Action.Send(new Message.PrepareSynAck(offers.subList(from, to), to == offers.size())));
            from = to;
        } while (from < offers.size());
        return pages;
    }

    private List<Action> violation(String what) {
        return failAndTell(new Failure(ErrorCode.PROTOCOL, what + " came in state " + state));
    }

    private List<Action> failAndTell(Failure failure) {
        List<Action> actions = new ArrayList<>();
        actions.add(new Action.Send(new Message.SessionFailed(failure.code(), failure.reason())));
        actions.addAll(finish(failure));
        return actions;
    }

    private List<Action> finish(Failure failure) {
        state = State.FAILED;
        pinned.clear();
        return List.of(new Action.Finish(java.util.Optional.of(failure)));
    }
}
