package io.sluice.streaming.session;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.StagedExtent;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import io.sluice.streaming.ring.Node;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The initiator's end of a session: requests ranges, fetches offered data that it does not have yet, and has it
 * verified and installed. {@link ReceivingRules} defines the transitions; {@code docs/sessions.md} prints them.
 *
 * <p>An unavailable table is abandoned alone; the session continues with the others.
 *
 * <p>Long because its events and actions, a fifth of it, are declared here, next to their only user.
 *
 * <p>Not thread-safe: confined to its owner's event loop. It reads no clock: the time is an argument of each event.
 */
public final class ReceivingSession
        implements SessionMachine<ReceivingSession.State, ReceivingSession.Event, ReceivingSession.Action> {
    /** The state of a session. */
    public enum State {
        INITIALIZED(SessionProgress.State.INITIALIZED),
        PREPARING(SessionProgress.State.PREPARING),
        STREAMING(SessionProgress.State.STREAMING),
        WAIT_INSTALL(SessionProgress.State.WAIT_INSTALL),
        WAIT_COMPLETE(SessionProgress.State.WAIT_COMPLETE),
        COMPLETE(SessionProgress.State.COMPLETE),
        FAILED(SessionProgress.State.FAILED);

        private final SessionProgress.State progress;

        State(SessionProgress.State progress) {
            this.progress = progress;
        }

        /** The state in progress samples. */
        SessionProgress.State progress() {
            return progress;
        }

        /** Whether the state is final. */
        public boolean isFinal() {
            return this == COMPLETE || this == FAILED;
        }
    }

    /** An event of the session. */
    public sealed interface Event {
        /**
         * The control connection is open, and its handshake is complete.
         *
         * @param receiver features of this node
         * @param roomBytes free space of this node
         */
        record Connected(ReceiverFeatures receiver, long roomBytes) implements Event {
            /** For a node without features that does not report its free space. */
            public Connected() {
                this(ReceiverFeatures.NONE, Message.StreamInit.ANY_ROOM);
            }
        }

        /** A message of the control connection. */
        record Received(Message message) implements Event {}

        /** Space is reserved for these offers, and {@code held} are the retained extents. */
        record Prepared(List<StagedExtent> held) implements Event {}

        /** Disk threads have made progress: {@code steps} counts verified retained extents and writes of staging. */
        record Staging(long steps) implements Event {}

        /** A data connection is open. */
        record DataConnected(int connection) implements Event {}

        /** A data connection is lost, or could not be opened. */
        record DataLost(int connection, String reason) implements Event {}

        /** All bytes of an extent were written to its file; {@code crc32} is their checksum. */
        record ExtentReceived(int connection, Extent extent, long crc32) implements Event {}

        /** An SSTable is complete, durable and verified. */
        record Staged(int offer) implements Event {}

        /** All SSTables of a table, from all sources of the plan, are live. */
        record TableInstalled(UUID tableId) implements Event {}

        /** The table is no longer wanted from this source. */
        record TableAbandoned(UUID tableId, Failure why) implements Event {}

        /** The session is paused: it fetches nothing more; extents in flight arrive. */
        record Paused() implements Event {}

        /** The session is resumed. */
        record Resumed() implements Event {}

        /** Time has passed. Must occur at least once per heartbeat period. */
        record Tick() implements Event {}

        /** The control connection is lost. */
        record PeerLost(String reason) implements Event {}

        /** Something failed at this end, or the plan is abandoned. */
        record Failed(Failure failure) implements Event {}
    }

    /** An action that the owner performs, in order. */
    public sealed interface Action {
        /** Send a message on the control connection. */
        record Send(Message message) implements Action {}

        /**
         * Find retained files of these offers, reserve space, then answer {@link Event.Prepared} or
         * {@link Event.Failed}. One at a time.
         */
        record Prepare(List<SSTableOffer> offers) implements Action {}

        /** Open a data connection, then answer {@link Event.DataConnected} or {@link Event.DataLost}. */
        record OpenDataConnection(int connection) implements Action {}

        /** Send a fetch on a data connection. */
        record Fetch(int connection, List<Extent> extents) implements Action {}

        /** A received file is corrupt: remove its extents from the journal. */
        record Forget(int offer, Component component) implements Action {}

        /**
         * Make the SSTable durable, open and verify it, then answer {@link Event.Staged}, {@link Event.TableAbandoned}
         * or {@link Event.Failed}.
         */
        record Stage(SSTableOffer offer) implements Action {}

        /** Everything of that table from this peer is received. */
        record TableLanded(UUID tableId) implements Action {}

        /** That table is not available from this peer; the session continues. */
        record TableFailed(UUID tableId, Failure why) implements Action {}

        /** Log a problem that is retried. */
        record Warn(String what) implements Action {}

        /** The session is over: close its connections; empty if it succeeded. */
        record Finish(Optional<Failure> failure) implements Action {}
    }

    private static final int MAX_LOST_CONNECTIONS = 5;
    private static final int RANGES_PER_PAGE = 20_000;

    private final Transitions<State> rules = ReceivingRules.table();
    private final Operation operation;
    private final List<Message.TableRequest> requests;
    private final SessionSettings settings;
    private final SessionTimeouts timeouts;
    private final ReceivedExtents received;
    private final ReceivedOffers offers;
    private final Map<UUID, Integer> unstaged = new HashMap<>();
    /** Offers for which space is being reserved. */
    private List<SSTableOffer> landing = List.of();

    private boolean isLanding;
    /** Whether everything is offered and there is space for it: only then a table may be complete. */
    private boolean isAllKnown;

    private final Set<UUID> open = new LinkedHashSet<>();
    private final Map<UUID, Failure> releasing = new LinkedHashMap<>();
    private long durableBytes;
    private long stagingSteps;
    private int nextConnection;
    private @Nullable ConnectionRamp ramp;
    private int lostConnections;
    private String because = "";
    private State state = State.INITIALIZED;
    private Optional<Failure> failed = Optional.empty();

    /**
     * Creates a session that will request {@code requests}.
     *
     * @param peer its name, human-readable
     * @param requests at most one per table
     */
    public ReceivingSession(
            Operation operation,
            String peer,
            List<Message.TableRequest> requests,
            SessionSettings settings,
            long nowNanos) {
        this.operation = operation;
        this.requests = List.copyOf(requests);
        this.offers = new ReceivedOffers(this.requests);
        this.settings = settings;
        this.received = new ReceivedExtents(settings.extentLengthBytes());
        this.timeouts = new SessionTimeouts(settings.deadlines(), peer, Waiting.CONNECTION, nowNanos);
        requests.forEach(request -> open.add(request.tableId()));
    }

    @Override
    public State state() {
        return state;
    }

    /**
     * An attempt of a session.
     *
     * @param ended when it ended; empty if it is running
     */
    public record Attempt(Node peer, int number, Instant started, Optional<Instant> ended) {}

    /** The progress so far. */
    public SessionProgress progress(Attempt attempt, long nowNanos, Instant now) {
        return new SessionProgress(
                attempt.peer(),
                state.progress(),
                attempt.number(),
                attempt.started(),
                attempt.ended(),
                received.sstablesTotal(),
                received.filesTotal(),
                received.filesReceived(),
                received.bytesTotal(),
                received.bytesReceived(),
                received.bytesHeld(),
                offers.asOffered(),
                state.isFinal() ? Optional.empty() : Optional.of(timeouts.waiting(nowNanos, now)),
                failed.map(why -> why.asResult(
                        Optional.of(attempt.peer().id()), attempt.ended().orElse(now))));
    }

    /** How much is received of each table that was offered. */
    public List<TableProgress> receivedTables() {
        return received.tables();
    }

    @Override
    public Class<?> kind(Event event) {
        return ReceivingRules.kind(event);
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
        return action instanceof Action.Fetch;
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
        awaitNext(nowNanos);
        rule.require(kind, before, state, State.FAILED);
        return actions;
    }

    private List<Action> handle(Event event, long nowNanos) {
        if (event instanceof Event.Received e) {
            return received(e.message(), nowNanos);
        }
        if (event instanceof Event.Connected e) {
            return connected(e, nowNanos);
        }
        if (event instanceof Event.Prepared e) {
            return prepared(e.held(), nowNanos);
        }
        if (event instanceof Event.Staging e) {
            stagingSteps = e.steps();
            timeouts.progress(Waiting.STAGING, nowNanos);
            return List.of();
        }
        if (event instanceof Event.DataConnected e) {
            timeouts.progress(nowNanos);
            return state == State.STREAMING ? fetchMore(e.connection()) : List.of();
        }
        if (event instanceof Event.DataLost e) {
            return dataLost(e);
        }
        if (event instanceof Event.ExtentReceived e) {
            return extentReceived(e, nowNanos);
        }
        if (event instanceof Event.Staged e) {
            return staged(e.offer(), nowNanos);
        }
        if (event instanceof Event.TableInstalled e) {
            return tableInstalled(e.tableId(), nowNanos);
        }
        if (event instanceof Event.TableAbandoned e) {
            return abandon(e.tableId(), e.why(), nowNanos);
        }
        if (event instanceof Event.Paused) {
            timeouts.pause();
            return List.of();
        }
        if (event instanceof Event.Resumed) {
            timeouts.resume(nowNanos);
            return state == State.STREAMING ? fetchMoreEverywhere() : List.of();
        }
        if (event instanceof Event.Tick) {
            return tick(nowNanos);
        }
        if (event instanceof Event.PeerLost e) {
            return over(new Failure(ErrorCode.PEER_LOST, e.reason()));
        }
        return failAndNotify(((Event.Failed) event).failure());
    }

    private List<Action> connected(Event.Connected event, long nowNanos) {
        state = State.PREPARING;
        timeouts.waitFor(Waiting.OFFERS, timeouts.deadlines().prepare(), nowNanos);
        List<Action> actions = new ArrayList<>(List.of(
                new Action.Send(new Message.StreamInit(operation.code(), event.receiver(), event.roomBytes()))));
        RequestPages.of(requests, RANGES_PER_PAGE).forEach(page -> actions.add(new Action.Send(page)));
        actions.addAll(releaseDrained()); // tables that were abandoned meanwhile
        return actions;
    }

    private List<Action> received(Message message, long nowNanos) {
        if (message instanceof Message.KeepAlive m) {
            timeouts.receivedFromSource(m, nowNanos);
            return List.of();
        }
        if (message instanceof Message.SessionFailed m) {
            return over(new Failure(m.code(), m.reason()));
        }
        if (message instanceof Message.PrepareSynAck m) {
            return offered(m, nowNanos);
        }
        if (message instanceof Message.TableRefused m) {
            if (!offers.areRequestedOf(m.tableId())) {
                return violation("TableRefused of a table that was not requested");
            }
            if (isAllKnown) {
                return violation("TableRefused after the last page of offers");
            }
            // Abandoned here because of another source, while the refusal was in flight: nothing more to do.
            return open.contains(m.tableId())
                    ? fail(m.tableId(), new Failure(m.code(), m.reason()), nowNanos)
                    : List.of();
        }
        if (message instanceof Message.FileSums m) {
            return sums(m, nowNanos);
        }
        return finish(Optional.empty()); // Complete: the rules allow no other message here
    }

    private List<Action> offered(Message.PrepareSynAck page, long nowNanos) {
        Optional<String> violation = offers.add(page);
        if (violation.isPresent()) {
            return violation(violation.get());
        }
        timeouts.progress(nowNanos);
        return land(nowNanos);
    }

    /** Reserves space for what may be fetched, unless that is happening: then again when it has ended. */
    private List<Action> land(long nowNanos) {
        if (isLanding || isAllKnown || !offers.areFetchable()) {
            return List.of();
        }
        landing = offers.next(open);
        if (landing.isEmpty() && !offers.areAllThere()) {
            return List.of();
        }
        isLanding = true;
        if (state == State.PREPARING) {
            timeouts.waitFor(Waiting.STAGING, timeouts.deadlines().install(), nowNanos);
        }
        return List.of(new Action.Prepare(landing));
    }

    private List<Action> prepared(List<StagedExtent> held, long nowNanos) {
        if (!isLanding) {
            return violation("Prepared");
        }
        Map<Integer, List<StagedExtent>> byOffer = new HashMap<>();
        held.forEach(landed -> byOffer.computeIfAbsent(landed.extent().offer(), number -> new ArrayList<>())
                .add(landed));
        isLanding = false;
        isAllKnown = offers.areAllTaken();
        List<Action> actions = new ArrayList<>();
        if (isAllKnown) {
            actions.add(new Action.Send(new Message.PrepareAck()));
            open.forEach(table -> unstaged.putIfAbsent(table, 0));
        }
        boolean isFirst = state == State.PREPARING;
        state = State.STREAMING;
        for (SSTableOffer offer : landing) {
            if (open.contains(offer.tableId())) {
                unstaged.merge(offer.tableId(), 1, Integer::sum);
                for (ReceivedExtents.Outcome outcome :
                        received.expect(offer, byOffer.getOrDefault(offer.number(), List.of()))) {
                    actions.addAll(act(outcome));
                }
            }
        }
        landing = List.of();
        List.copyOf(unstaged.keySet()).forEach(table -> actions.addAll(landedIfWhole(table)));
        actions.addAll(land(nowNanos));
        advance(nowNanos);
        actions.addAll(state == State.STREAMING && !isFirst ? fetchMoreEverywhere() : List.of());
        if (state == State.STREAMING && isFirst) {
            ramp = new ConnectionRamp(
                    settings.connections(), settings.mostConnections(), received.bytesReceived(), nowNanos);
            for (int i = 0; i < settings.connections(); i++) {
                actions.add(new Action.OpenDataConnection(nextConnection++));
            }
            actions.addAll(oneMoreConnection(nowNanos));
        }
        return actions;
    }

    private List<Action> extentReceived(Event.ExtentReceived event, long nowNanos) {
        Optional<ReceivedExtents.Outcome> outcome =
                received.received(event.connection(), event.extent(), event.crc32());
        if (outcome.isEmpty()) {
            return violation("an extent that was not requested");
        }
        lostConnections = 0;
        timeouts.progress(nowNanos);
        List<Action> actions = new ArrayList<>(act(outcome.get()));
        actions.addAll(fetchMore(event.connection()));
        actions.addAll(releaseDrained());
        actions.addAll(oneMoreConnection(nowNanos));
        return actions;
    }

    private List<Action> oneMoreConnection(long nowNanos) {
        long missing = received.bytesTotal() - received.bytesReceived();
        return ramp != null && ramp.isOneMoreWorthIt(received.bytesReceived(), missing, nowNanos)
                ? List.of(new Action.OpenDataConnection(nextConnection++))
                : List.of();
    }

    private List<Action> act(ReceivedExtents.Outcome outcome) {
        if (outcome instanceof ReceivedExtents.Outcome.SSTableWhole whole) {
            return List.of(new Action.Stage(whole.offer()));
        }
        if (outcome instanceof ReceivedExtents.Outcome.Damaged damaged) {
            int number = damaged.offer().number();
            Component component = damaged.file().component();
            damaged.file().countDamage();
            return List.of(
                    new Action.Forget(number, component),
                    new Action.Warn(ChecksumMismatch.describe(damaged) + "; requesting checksums from the source"),
                    new Action.Send(new Message.CheckFile(number, component, settings.extentLengthBytes())));
        }
        return List.of();
    }

    private List<Action> sums(Message.FileSums sums, long nowNanos) {
        if (state != State.STREAMING) {
            return List.of();
        }
        timeouts.progress(nowNanos);
        Optional<ReceivedExtents.Outcome.Damaged> known = received.damaged(sums.offer(), sums.component());
        if (known.isEmpty()) {
            return isAbandoned(sums.offer()) ? List.of() : violation("checksums that were not requested");
        }
        ReceivedExtents.Outcome.Damaged damaged = known.get();
        FileExtents file = damaged.file();
        if (!file.addSums(sums.first(), sums.crc32s(), sums.last())) {
            return violation("checksums that were not requested");
        }
        if (!sums.last()) {
            return List.of();
        }
        ChecksumMismatch.Resolution resolution = ChecksumMismatch.resolve(damaged);
        if (resolution instanceof ChecksumMismatch.Resolution.Unrecoverable unrecoverable) {
            return fail(damaged.offer().tableId(), unrecoverable.why(), nowNanos);
        }
        ChecksumMismatch.Resolution.FetchAgain again = (ChecksumMismatch.Resolution.FetchAgain) resolution;
        received.again(damaged.offer(), file, again.extents());
        List<Action> actions = new ArrayList<>(List.of(new Action.Warn(again.why())));
        actions.addAll(fetchMoreEverywhere());
        return actions;
    }

    private List<Action> fetchMoreEverywhere() {
        List<Action> actions = new ArrayList<>();
        for (int connection = 0; connection < nextConnection; connection++) {
            if (received.isOpen(connection)) {
                actions.addAll(fetchMore(connection));
            }
        }
        return actions;
    }

    private boolean isAbandoned(int offer) {
        return offers.has(offer) && !open.contains(offers.get(offer).tableId());
    }

    private List<Action> fetchMore(int connection) {
        List<Extent> extents =
                timeouts.isPaused() ? received.none(connection) : received.next(connection, settings.windowExtents());
        return extents.isEmpty() ? List.of() : List.of(new Action.Fetch(connection, extents));
    }

    private List<Action> dataLost(Event.DataLost event) {
        boolean wasOpen = received.isOpen(event.connection());
        received.lost(event.connection());
        if (state != State.STREAMING) {
            return releaseDrained();
        }
        if (!wasOpen && received.hasConnection()) {
            // The peer may be at a limit: the others continue, and another is opened when one of them is lost.
            return List.of(new Action.Warn("data connection " + event.connection()
                    + " could not be opened, continuing without it: " + event.reason()));
        }
        if (++lostConnections > MAX_LOST_CONNECTIONS) {
            return failAndNotify(new Failure(
                    ErrorCode.PEER_LOST,
                    "data connection " + event.connection() + ": " + event.reason() + "; " + lostConnections
                            + " in a row were lost without receiving a byte"));
        }
        List<Action> actions = releaseDrained();
        actions.add(new Action.Warn(
                "data connection " + event.connection() + " is lost, opening another: " + event.reason()));
        actions.add(new Action.OpenDataConnection(nextConnection++));
        return actions;
    }

    private List<Action> staged(int number, long nowNanos) {
        if (!offers.has(number)) {
            return violation("staging of an unknown offer");
        }
        UUID table = offers.get(number).tableId();
        if (!open.contains(table)) {
            return List.of();
        }
        timeouts.progress(nowNanos);
        unstaged.merge(table, -1, Integer::sum);
        durableBytes += offers.get(number).lengthBytes();
        List<Action> actions = new ArrayList<>(List.of(new Action.Send(new Message.Received(number))));
        actions.addAll(landedIfWhole(table));
        advance(nowNanos);
        return actions;
    }

    private List<Action> landedIfWhole(UUID table) {
        boolean isWhole = isAllKnown && unstaged.getOrDefault(table, 1) == 0;
        return isWhole ? List.of(new Action.TableLanded(table)) : List.of();
    }

    /**
     * While it streams: waits for bytes, or, if it has all that was offered, for this node's disk or further offers.
     */
    private void awaitNext(long nowNanos) {
        if (state != State.STREAMING) {
            return;
        }
        boolean isIdle = received.isComplete();
        if (isIdle && (isLanding || unstaged() > 0)) {
            timeouts.waitInstead(Waiting.STAGING, timeouts.deadlines().install(), nowNanos);
        } else if (isIdle) {
            timeouts.waitInstead(Waiting.OFFERS, timeouts.deadlines().prepare(), nowNanos);
        } else {
            timeouts.waitInstead(Waiting.BYTES, timeouts.deadlines().transfer(), nowNanos);
        }
    }

    /** Enters the next state if this one is complete. */
    private void advance(long nowNanos) {
        boolean isAllStaged = open.stream().allMatch(table -> unstaged.getOrDefault(table, 0) == 0);
        if (state == State.STREAMING && isAllKnown && isAllStaged) {
            state = State.WAIT_INSTALL;
            timeouts.waitForOthers(Waiting.INSTALL, nowNanos); // the coordinator limits an install that has begun
        }
        if (state == State.WAIT_INSTALL && open.isEmpty()) {
            state = State.WAIT_COMPLETE;
            timeouts.waitFor(Waiting.END, timeouts.deadlines().silence(), nowNanos);
        }
    }

    private List<Action> tableInstalled(UUID tableId, long nowNanos) {
        if (!isAllKnown || unstaged.getOrDefault(tableId, 1) > 0 || !open.remove(tableId)) {
            return violation("the install of an incomplete table");
        }
        unstaged.remove(tableId);
        timeouts.progress(nowNanos);
        advance(nowNanos);
        return List.of(new Action.Send(new Message.Installed(tableId)));
    }

    /** Fails a table for a local reason, and notifies the coordinator. */
    private List<Action> fail(UUID tableId, Failure why, long nowNanos) {
        List<Action> actions = new ArrayList<>(abandon(tableId, why, nowNanos));
        actions.add(new Action.TableFailed(tableId, why));
        return actions;
    }

    private List<Action> abandon(UUID tableId, Failure why, long nowNanos) {
        if (!open.remove(tableId)) {
            return List.of(); // installed or abandoned already
        }
        unstaged.remove(tableId);
        received.abandon(tableId);
        if (state == State.STREAMING || state == State.WAIT_INSTALL) {
            advance(nowNanos);
        }
        releasing.put(tableId, why);
        return state == State.INITIALIZED ? List.of() : releaseDrained();
    }

    /**
     * Notifies the source of abandoned tables that have no extent in flight: until then the source needs their files.
     */
    private List<Action> releaseDrained() {
        List<Action> actions = new ArrayList<>();
        for (UUID table : List.copyOf(releasing.keySet())) {
            if (!received.isInFlight(
                    extent -> offers.get(extent.offer()).tableId().equals(table))) {
                Failure why = releasing.remove(table);
                if (why != null) {
                    actions.add(new Action.Send(new Message.Released(table, why.code(), why.reason())));
                }
            }
        }
        return actions;
    }

    private List<Action> tick(long nowNanos) {
        Optional<String> overdue = timeouts.overdue(nowNanos);
        if (overdue.isPresent()) {
            return state == State.WAIT_COMPLETE
                    ? finish(Optional.empty())
                    : failAndNotify(new Failure(ErrorCode.TIMEOUT, overdue.get()));
        }
        return state != State.INITIALIZED && timeouts.isHeartbeatDue(nowNanos)
                ? List.of(new Action.Send(new Message.KeepAlive(
                        timeouts.doing(received.bytesVerified(), durableBytes, unstaged(), nowNanos),
                        timeouts.progressToSend(received.bytesReceived() + stagingSteps))))
                : List.of();
    }

    /** The number of SSTables that are not durable yet. */
    private int unstaged() {
        return unstaged.values().stream().mapToInt(Integer::intValue).sum();
    }

    private List<Action> over(Failure failure) {
        // If the peer disconnects after everything is installed here, the session is complete.
        return finish(state == State.WAIT_COMPLETE ? Optional.empty() : Optional.of(failure));
    }

    private List<Action> violation(String what) {
        return failAndNotify(new Failure(ErrorCode.PROTOCOL, what + " received in state " + state));
    }

    private List<Action> failAndNotify(Failure failure) {
        List<Action> actions = new ArrayList<>();
        actions.add(new Action.Send(new Message.SessionFailed(failure.code(), failure.reason())));
        actions.addAll(finish(Optional.of(failure)));
        return actions;
    }

    private List<Action> finish(Optional<Failure> failure) {
        state = failure.isPresent() ? State.FAILED : State.COMPLETE;
        failed = failure;
        return List.of(new Action.Finish(failure));
    }
}
