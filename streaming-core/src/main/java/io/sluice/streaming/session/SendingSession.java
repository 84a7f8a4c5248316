package io.sluice.streaming.session;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageMemory;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The follower's end of a session: pins and offers the requested tables, and sends fetched extents until everything is
 * installed at the other end. {@link SendingRules} defines the transitions; {@code docs/sessions.md} prints them.
 *
 * <p>The receiver opens data connections, and replaces lost ones. Long because its events and actions are declared
 * here, next to their only user.
 *
 * <p>Not thread-safe: confined to its owner's event loop. It reads no clock: the time is an argument of each event.
 */
public final class SendingSession
        implements SessionMachine<SendingSession.State, SendingSession.Event, SendingSession.Action> {
    /** The state of a session. */
    public enum State {
        INITIALIZED(SendingProgress.State.INITIALIZED),
        PREPARING(SendingProgress.State.PREPARING),
        STREAMING(SendingProgress.State.STREAMING),
        COMPLETE(SendingProgress.State.COMPLETE),
        FAILED(SendingProgress.State.FAILED);

        private final SendingProgress.State progress;

        State(SendingProgress.State progress) {
            this.progress = progress;
        }

        /** The state in progress samples. */
        public SendingProgress.State progress() {
            return progress;
        }

        /** Whether the state is final. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }

    /** An event of the session. */
    public sealed interface Event {
        /** A message of the control connection. */
        record Received(Message message) implements Event {}

        /** A fetch on a data connection. */
        record Fetched(int connection, List<Extent> extents) implements Event {}

        /** The preparation has made progress: {@code steps} counts pinned tables and read parts of SSTables. */
        record Preparing(long steps) implements Event {}

        /** These SSTables are offered; others may follow, and finally {@link Pinned} with all. */
        record Offered(List<SSTableOffer> offers) implements Event {}

        /** The tables are pinned, except {@code refused}; {@code offers} has all offers. */
        record Pinned(List<SSTableOffer> offers, Map<UUID, Failure> refused) implements Event {}

        /** These of the looked-up tables are unavailable. */
        record Unavailable(Map<UUID, Failure> refused) implements Event {}

        /** A file was read again: a page of the checksums of its extents. */
        record Summed(Message.FileSums sums) implements Event {}

        /** A file could not be read again. */
        record SumFailed(int offer, Failure why) implements Event {}

        /** Bytes were sent. */
        record Sent(long bytes) implements Event {}

        /** Time has passed. Must occur at least once per heartbeat period. */
        record Tick() implements Event {}

        /** The control connection is lost. */
        record PeerLost(String reason) implements Event {}

        /** Something failed at this end. */
        record Failed(Failure failure) implements Event {}
    }

    /** An action that the owner performs, in order. */
    public sealed interface Action {
        /** Check whether these tables are available, and answer {@link Event.Unavailable} if some are not. */
        record LookUp(List<Message.TableRequest> requests) implements Action {}

        /**
         * Pin these tables, one request for each, then answer {@link Event.Offered} whenever some offers are ready, and
         * finally {@link Event.Pinned} or {@link Event.Failed}.
         *
         * @param receiver features of the receiver
         * @param roomBytes free space of the receiver: if more would be sent, nothing is prepared
         */
        record Pin(List<Message.TableRequest> requests, ReceiverFeatures receiver, long roomBytes) implements Action {}

        /** Send a message on the control connection. */
        record Send(Message message) implements Action {}

        /** Send the extents on that data connection. */
        record Transmit(int connection, List<Extent> extents) implements Action {}

        /** End a data connection that the receiver has lost. */
        record Disconnect(int connection) implements Action {}

        /** Read a file of an offer, then answer {@link Event.Summed} for each page, or {@link Event.SumFailed}. */
        record Sum(int offer, Component component, int extentLengthBytes) implements Action {}

        /** Release the pin of one table. */
        record Unpin(UUID tableId) implements Action {}

        /** The session is over: release all pins, and close the connections; empty if it succeeded. */
        record Finish(Optional<Failure> failure) implements Action {}
    }

    private static final int OFFERS_PER_PAGE = 500;
    private static final int MAX_REQUESTED_RANGES = 1_000_000;
    /** Memory of an id in a set. */
    private static final long OPEN_TABLE_BYTES = 128;

    private final Transitions<State> rules = SendingRules.table();
    private final SessionTimeouts timeouts;
    /** In the received parts: they are merged only once, because that is expensive. */
    private final Map<UUID, List<Message.TableRequest>> requested = new LinkedHashMap<>();

    private final Set<UUID> open = new LinkedHashSet<>();
    private final FileChecks checks = new FileChecks();
    private String because = "";
    private State state = State.INITIALIZED;
    private final List<SSTableOffer> offers = new ArrayList<>();
    /** Number of tables that were refused before the last page of requests and are not released yet. */
    private int refusedEarly;

    private int requestedRanges;
    private long requestedBytes;
    private long freeBytes = Message.StreamInit.ANY_ROOM;
    private ReceiverFeatures receiver = ReceiverFeatures.NONE;
    private boolean isAcknowledged;
    private boolean isPinned;
    private long preparedSteps;
    private long offeredBytes;
    private long sentBytes;
    private long landedBytes;

    /** @param peer the receiver's name, human-readable */
    public SendingSession(String peer, Deadlines deadlines, long nowNanos) {
        this.timeouts = new SessionTimeouts(deadlines, peer, Waiting.REQUESTS, nowNanos);
    }

    @Override
    public State state() {
        return state;
    }

    /** What the session waits for; empty if it is over. */
    public Optional<Wait> waitingFor(long nowNanos, Instant now) {
        return state.isFinal() ? Optional.empty() : Optional.of(timeouts.waiting(nowNanos, now));
    }

    /** Memory in bytes that the session keeps for the peer's messages until it is over; rounded up. */
    public long heldBytes() {
        return state.isFinal() ? 0 : requestedBytes + open.size() * OPEN_TABLE_BYTES + checks.heldBytes();
    }

    /** Bytes sent so far. */
    public long sentBytes() {
        return sentBytes;
    }

    /** Offered bytes. */
    public long offeredBytes() {
        return offeredBytes;
    }

    @Override
    public Class<?> kind(Event event) {
        return SendingRules.kind(event);
    }

    @Override
    public String because() {
        return state == State.FAILED ? "it fails" : because;
    }

    @Override
    public Event failed(Failure failure) {
        return new Event.Failed(failure);
    }

    @Override
    public boolean movesBytes(Action action) {
        return action instanceof Action.Transmit;
    }

    @Override
    public List<Action> on(Event event, long nowNanos) {
        Class<?> kind = kind(event);
        State before = state;
        Transitions.Rule<State> rule = rules.rule(before, kind);
        if (before.isFinal()) {
            return List.of();
        }
        because = rule.because();
        if (event instanceof Event.Received) {
            timeouts.received(nowNanos);
        }
        List<Action> actions = rule.isViolation() ? violation(kind.getSimpleName()) : handle(event, nowNanos);
        rule.require(kind, before, state, State.FAILED);
        return actions;
    }

    private List<Action> handle(Event event, long nowNanos) {
        if (event instanceof Event.Received e) {
            return received(e.message(), nowNanos);
        }
        if (event instanceof Event.Fetched e) {
            return fetched(e, nowNanos);
        }
        if (event instanceof Event.Preparing e) {
            preparedSteps = e.steps();
            timeouts.progress(nowNanos);
            return List.of();
        }
        if (event instanceof Event.Offered e) {
            return offered(e, nowNanos);
        }
        if (event instanceof Event.Pinned e) {
            return pinned(e, nowNanos);
        }
        if (event instanceof Event.Unavailable e) {
            return unavailable(e);
        }
        if (event instanceof Event.Summed e) {
            timeouts.progress(nowNanos);
            List<Action> actions = new ArrayList<>(List.of(new Action.Send(e.sums())));
            if (e.sums().last()) {
                actions.addAll(nextCheck());
            }
            return actions;
        }
        if (event instanceof Event.SumFailed e) {
            // An unpinned table may be deleted while one of its files is read.
            boolean isPinned = open.contains(offers.get(e.offer()).tableId());
            return isPinned ? failAndNotify(e.why()) : nextCheck();
        }
        if (event instanceof Event.Sent e) {
            sentBytes += e.bytes();
            timeouts.progress(nowNanos);
            return List.of();
        }
        if (event instanceof Event.Tick) {
            return tick(nowNanos);
        }
        if (event instanceof Event.PeerLost e) {
            return finish(new Failure(ErrorCode.PEER_LOST, e.reason()));
        }
        return failAndNotify(((Event.Failed) event).failure());
    }

    private List<Action> received(Message message, long nowNanos) {
        if (message instanceof Message.KeepAlive m) {
            timeouts.receivedFromReceiver(m, nowNanos);
            return List.of();
        }
        if (message instanceof Message.StreamInit m) {
            freeBytes = m.roomBytes();
            receiver = m.receiver();
            return List.of();
        }
        if (message instanceof Message.SessionFailed m) {
            return finish(new Failure(m.code(), m.reason()));
        }
        timeouts.progress(nowNanos);
        if (message instanceof Message.PrepareSyn m) {
            return requested(m, nowNanos);
        }
        if (message instanceof Message.PrepareAck) {
            if (!isPinned || isAcknowledged) {
                return violation("PrepareAck");
            }
            isAcknowledged = true;
            stream(nowNanos);
            return completeIfDone();
        }
        if (message instanceof Message.Received m) {
            return landed(m.offer(), nowNanos);
        }
        if (message instanceof Message.Installed m) {
            return isPinned ? unpin(m.tableId(), m) : violation("Installed before the last page of offers");
        }
        if (message instanceof Message.Released m) {
            return unpin(m.tableId(), m);
        }
        Message.CheckFile m = (Message.CheckFile) message; // the rules allow no other message here
        return check(m, nowNanos);
    }

    private List<Action> landed(int offer, long nowNanos) {
        if (offer < 0 || offer >= offers.size()) {
            return violation("Received of no offer");
        }
        stream(nowNanos);
        landedBytes += offers.get(offer).lengthBytes();
        return List.of();
    }

    private List<Action> check(Message.CheckFile asked, long nowNanos) {
        if (!isOffered(asked.offer(), asked.component(), 0)) {
            return violation("CheckFile of a file that was not offered");
        }
        if (!checks.mayAsk(asked.offer(), asked.component())) {
            return violation("CheckFile of the same file more than " + FileChecks.MAX_CHECKS_OF_A_FILE + " times");
        }
        stream(nowNanos);
        return checks.add(new Action.Sum(asked.offer(), asked.component(), asked.extentLengthBytes())).stream()
                .map(Action.class::cast)
                .toList();
    }

    private List<Action> nextCheck() {
        return checks.next().stream().map(Action.class::cast).toList();
    }

    private List<Action> requested(Message.PrepareSyn page, long nowNanos) {
        if (page.requests().isEmpty() && !page.last()) {
            return violation("PrepareSyn without requests");
        }
        for (Message.TableRequest request : page.requests()) {
            requested
                    .computeIfAbsent(request.tableId(), table -> new ArrayList<>())
                    .add(request);
            requestedRanges += 1 + request.ranges().ranges().size();
            requestedBytes += MessageMemory.bytes(request);
        }
        if (requestedRanges > MAX_REQUESTED_RANGES) {
            return failAndNotify(new Failure(
                    ErrorCode.PROTOCOL,
                    "more than " + MAX_REQUESTED_RANGES
                            + " tables and ranges were requested; divide the request among several plans"));
        }
        if (!page.last()) {
            return List.of(new Action.LookUp(page.requests()));
        }
        state = State.PREPARING;
        open.addAll(requested.keySet());
        timeouts.waitFor(Waiting.PREPARATION, timeouts.deadlines().install(), nowNanos);
        return List.of(new Action.Pin(
                requested.values().stream().map(SendingSession::joined).toList(), receiver, freeBytes));
    }

    /** Refuses tables, and keeps nothing of them while further pages arrive. */
    private List<Action> unavailable(Event.Unavailable event) {
        List<Action> actions = new ArrayList<>();
        if (state == State.INITIALIZED) { // otherwise they are being pinned, which has the same result
            event.refused().forEach((table, why) -> {
                if (requested.remove(table) != null) {
                    refusedEarly++;
                }
                actions.add(new Action.Send(new Message.TableRefused(table, why.code(), why.reason())));
            });
            requestedBytes = requested.values().stream()
                    .flatMap(List::stream)
                    .mapToLong(MessageMemory::bytes)
                    .sum();
        }
        return actions;
    }

    private static Message.TableRequest joined(List<Message.TableRequest> parts) {
        List<TokenRange> ranges = new ArrayList<>();
        parts.forEach(part -> ranges.addAll(part.ranges().ranges()));
        return new Message.TableRequest(parts.get(0).tableId(), parts.get(0).schemaDigest(), TokenRanges.of(ranges));
    }

    private List<Action> unpin(UUID table, Message message) {
        if (!open.remove(table)) {
            if (message instanceof Message.Released && refusedEarly > 0) {
                refusedEarly--;
                return List.of(); // abandoned after a refusal, whose table id is not kept
            }
            return violation(message.getClass().getSimpleName() + " of a table that is not pinned");
        }
        checks.forget(offer -> offers.get(offer).tableId().equals(table));
        List<Action> actions = new ArrayList<>(List.of(new Action.Unpin(table)));
        actions.addAll(completeIfDone());
        return actions;
    }

    private List<Action> completeIfDone() {
        if (!open.isEmpty() || !isAcknowledged) {
            return List.of();
        }
        state = State.COMPLETE;
        return List.of(new Action.Send(new Message.Complete()), new Action.Finish(Optional.empty()));
    }

    private void stream(long nowNanos) {
        if (state == State.PREPARING) {
            state = State.STREAMING;
            timeouts.waitFor(Waiting.FETCHES, timeouts.deadlines().install(), nowNanos);
        }
    }

    private List<Action> fetched(Event.Fetched event, long nowNanos) {
        boolean isLate = false;
        for (Extent extent : event.extents()) {
            if (!wasOffered(extent.offer(), extent.component(), extent.end())) {
                return violation("Fetch of bytes that were not offered");
            }
            isLate |= !isOpen(extent.offer());
        }
        timeouts.received(nowNanos);
        stream(nowNanos);
        if (isLate) { // the receiver has lost that connection, fetched again, and installed or abandoned the table
            return List.of(new Action.Disconnect(event.connection()));
        }
        timeouts.progress(nowNanos);
        return List.of(new Action.Transmit(event.connection(), event.extents()));
    }

    private boolean isOffered(int number, Component component, long end) {
        return wasOffered(number, component, end) && isOpen(number);
    }

    private boolean isOpen(int number) {
        return open.contains(offers.get(number).tableId());
    }

    private boolean wasOffered(int number, Component component, long end) {
        return number >= 0
                && number < offers.size()
                && offers.get(number)
                        .manifest(component)
                        .map(ComponentManifest::lengthBytes)
                        .filter(length -> end <= length)
                        .isPresent();
    }

    /** Sends offers at once: otherwise the receiver could wait for hours until all are prepared. */
    private List<Action> offered(Event.Offered event, long nowNanos) {
        if (isPinned) {
            return violation("Offered after the last page");
        }
        timeouts.progress(nowNanos);
        List<Action> actions = new ArrayList<>();
        for (int from = 0; from < event.offers().size(); from += OFFERS_PER_PAGE) {
            int to = Math.min(from + OFFERS_PER_PAGE, event.offers().size());
            actions.add(new Action.Send(
                    new Message.PrepareSynAck(event.offers().subList(from, to), false, receiver.fetchesEarly())));
        }
        offers.addAll(event.offers());
        offeredBytes += bytes(event.offers());
        return actions;
    }

    private List<Action> pinned(Event.Pinned event, long nowNanos) {
        if (isPinned) {
            return violation("Pinned");
        }
        isPinned = true;
        requested.clear();
        requestedBytes = 0;
        int from = offers.size();
        offers.addAll(event.offers().subList(from, event.offers().size()));
        offeredBytes = bytes(offers.stream()
                .filter(offer -> !event.refused().containsKey(offer.tableId()))
                .toList());
        if (state == State.PREPARING) { // otherwise the receiver fetches already
            timeouts.waitFor(Waiting.RECEIVER_ROOM, timeouts.deadlines().install(), nowNanos);
        }
        timeouts.progress(nowNanos);
        List<Action> actions = new ArrayList<>();
        event.refused()
                .forEach((table, why) ->
                        actions.add(new Action.Send(new Message.TableRefused(table, why.code(), why.reason()))));
        do {
            int to = Math.min(from + OFFERS_PER_PAGE, offers.size());
            actions.add(new Action.Send(new Message.PrepareSynAck(offers.subList(from, to), to == offers.size())));
            from = to;
        } while (from < offers.size());
        return actions;
    }

    private static long bytes(List<SSTableOffer> some) {
        return some.stream().mapToLong(SSTableOffer::lengthBytes).sum();
    }

    private List<Action> tick(long nowNanos) {
        Optional<String> overdue = timeouts.overdue(nowNanos);
        if (overdue.isPresent()) {
            return failAndNotify(new Failure(ErrorCode.TIMEOUT, overdue.get()));
        }
        return timeouts.isHeartbeatDue(nowNanos)
                ? List.of(new Action.Send(new Message.KeepAlive(
                        timeouts.doing(landedBytes, landedBytes, checks.waiting(), nowNanos),
                        preparedSteps + sentBytes)))
                : List.of();
    }

    private List<Action> violation(String what) {
        return failAndNotify(new Failure(ErrorCode.PROTOCOL, what + " received in state " + state));
    }

    private List<Action> failAndNotify(Failure failure) {
        List<Action> actions = new ArrayList<>();
        actions.add(new Action.Send(new Message.SessionFailed(failure.code(), failure.reason())));
        actions.addAll(finish(failure));
        return actions;
    }

    private List<Action> finish(Failure failure) {
        state = State.FAILED;
        open.clear();
        requested.clear();
        requestedBytes = 0;
        return List.of(new Action.Finish(Optional.of(failure)));
    }
}
