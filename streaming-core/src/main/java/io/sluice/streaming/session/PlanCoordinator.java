package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.install.Outlook;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Makes the decisions of one plan at the node that executes it: which sessions to open, which to retry and when, which
 * alternates replace a failed source, when a table is complete and can be installed, and when the plan has ended.
 *
 * <p>A table is installed atomically when all its ranges are received; tables do not wait for each other, and the
 * failure of one does not affect others. Data that a source had staged for a table before it failed is not used: the
 * alternate sends all of it, so that a tombstone and the rows that it deletes arrive together.
 *
 * <p>Long because its events and actions, a third of it, are declared here, next to their only user.
 *
 * <p>Without I/O, threads or clock: events in, actions out. Not thread-safe.
 */
public final class PlanCoordinator {
    private final StreamPlan plan;
    private final RetryPolicy policy;
    private final RandomGenerator random;
    private final AlternateReplicas alternates;
    private final Map<UUID, PlannedTable> tables = new LinkedHashMap<>();
    private final List<Session> sessions = new ArrayList<>();
    private final Set<UUID> lostNodes = new HashSet<>();
    private Optional<PlanResult.Failure> cancelled = Optional.empty();
    /** Whether received data is retained where another attempt may help. */
    private boolean isKept = true;

    private final Transitions<PlannedTable.Stage> rules = PlanRules.table();
    private final List<Transition> transitions = new ArrayList<>();
    private final List<PlannedTable> endedTables = new ArrayList<>();
    private Class<?> handling = Event.Started.class;
    private Instant now = Instant.EPOCH;
    private boolean isAdmitting;
    private boolean isFinished;

    /** An event of the plan. */
    public sealed interface Event {
        /** The plan begins. */
        record Started() implements Event {}

        /**
         * The plan is admitted: no newer operation fetches the same ranges.
         *
         * @param refused tables that this node cannot receive, and why; the plan continues with the others
         */
        record Admitted(Map<UUID, Failure> refused) implements Event {
            public Admitted {
                refused = Map.copyOf(refused);
            }

            /** Admits all tables. */
            public Admitted() {
                this(Map.of());
            }
        }

        /** The plan is not admitted. */
        record Refused(Failure why) implements Event {}

        /**
         * A session is over, and no thread writes to its files any more.
         *
         * @param didProgress whether bytes were received in this attempt
         */
        record SessionEnded(int session, Optional<Failure> failure, boolean didProgress) implements Event {}

        /** Everything that a session requested of a table is staged. */
        record TableLanded(int session, UUID tableId) implements Event {}

        /** A session continues without a table. */
        record TableFailed(int session, UUID tableId, Failure why) implements Event {}

        /** The pause of a session is over. */
        record RetryDue(int session) implements Event {}

        /** The pause before another install of a table is over. */
        record InstallDue(UUID tableId) implements Event {}

        /** A table is live. */
        record Installed(UUID tableId, int sstables, long bytes, PlanResult.LiveWrites writes) implements Event {
            /** For a database that does not report missed writes. */
            public Installed(UUID tableId, int sstables, long bytes) {
                this(tableId, sstables, bytes, PlanResult.LiveWrites.NOT_SAID);
            }
        }

        /**
         * The install of a table failed.
         *
         * @param outlook what becomes of its set: a committed one must still become live
         */
        record InstallFailed(UUID tableId, Failure why, Outlook outlook) implements Event {}

        /** A volume with staged files of a table failed before the commit: the files are fetched again. */
        record StagedLost(UUID tableId, Failure why) implements Event {}

        /**
         * The disk or the database did not answer an install in time. The table may be committed, and go live when they
         * answer: the plan ends without it. If {@link Installed} or {@link InstallFailed} arrives before the plan has
         * ended, it replaces this event; afterwards a failure only decides whether received data is retained.
         */
        record InstallOverdue(UUID tableId, Failure why) implements Event {}

        /**
         * The plan is cancelled, or cannot go on because of a defect or the end of this node.
         *
         * @param isKept whether received data is retained, as for the end of this node
         */
        record Cancelled(Failure why, boolean isKept) implements Event {
            /** Cancelled by a caller. */
            public Cancelled(String reason) {
                this(new Failure(ErrorCode.CANCELLED, reason), false);
            }
        }
    }

    /** An action that the owner performs, in order. */
    public sealed interface Action {
        /** Persist the epoch of the plan, then answer {@link Event.Admitted} or {@link Event.Refused}. */
        record Admit() implements Action {}

        /** Open a session; all its requests are for one source. */
        record Open(int session, int attempt, Node source, List<StreamRequest> requests) implements Action {}

        /** Pass an event to a running session. */
        record Notify(int session, ReceivingSession.Event event) implements Action {}

        /** Answer {@link Event.RetryDue} later. */
        record Retry(int session, Duration pause, String why) implements Action {}

        /**
         * Discard what the session has staged of a table: it must not become live. Comes before any other action on the
         * table.
         */
        record Unstage(int session, UUID tableId) implements Action {}

        /**
         * Install a table, then answer {@link Event.Installed}, {@link Event.InstallFailed} or
         * {@link Event.StagedLost}.
         */
        record Install(UUID tableId) implements Action {}

        /** Answer {@link Event.InstallDue} later: a table is committed, but the database or the disk failed. */
        record RetryInstall(UUID tableId, Duration pause, String why) implements Action {}

        /** A table will not become live: remove its staged data, or retain it for another plan. */
        record Drop(UUID tableId, boolean isKept) implements Action {}

        /** The plan has ended; nothing is running any more. */
        record Finish(
                List<PlanResult.TableResult> tables,
                List<PlanResult.RangeResult> ranges,
                Optional<PlanResult.Failure> failure)
                implements Action {}
    }

    private static final class Session {
        final int number;
        final Node source;
        final Map<UUID, PlannedTable.SourceRanges> parts = new LinkedHashMap<>();
        final Attempts attempts = new Attempts();
        /** Tables that the current attempt requested. */
        final Set<UUID> asked = new HashSet<>();

        int attempt;
        boolean isRunning;
        boolean isPausing;

        Session(int number, Node source) {
            this.number = number;
            this.source = source;
        }
    }

    /** @param random for pauses; seeded in tests and simulations */
    public PlanCoordinator(StreamPlan plan, RetryPolicy policy, RandomGenerator random) {
        this.plan = plan;
        this.policy = policy;
        this.random = random;
        this.alternates = new AlternateReplicas(plan.alternates());
    }

    /** Whether the plan has ended. */
    public boolean isFinished() {
        return isFinished;
    }

    /** Handles {@code event}, which occurred at {@code time}; returns the actions in order. */
    public List<Action> on(Event event, Instant time) {
        now = time;
        transitions.clear();
        endedTables.clear();
        if (isFinished) {
            return late(event);
        }
        handling = event.getClass();
        List<Action> actions = new ArrayList<>();
        if (event instanceof Event.Started) {
            start(actions);
        } else if (event instanceof Event.Admitted e) {
            admitted(e.refused(), actions);
        } else if (event instanceof Event.Refused e) {
            isAdmitting = false;
            List.copyOf(tables.values()).forEach(table -> fail(table, ofThisNode(e.why()), actions));
        } else if (event instanceof Event.SessionEnded e) {
            sessionEnded(sessions.get(e.session()), e, actions);
        } else if (event instanceof Event.TableLanded e) {
            landed(sessions.get(e.session()), e.tableId(), actions);
        } else if (event instanceof Event.TableFailed e) {
            tableFailed(sessions.get(e.session()), e.tableId(), e.why(), actions);
        } else if (event instanceof Event.RetryDue e) {
            retry(sessions.get(e.session()), actions);
        } else if (event instanceof Event.InstallDue e) {
            installAgain(table(e.tableId()), actions);
        } else if (event instanceof Event.Installed e) {
            installed(e, actions);
        } else if (event instanceof Event.InstallFailed e) {
            installFailed(e, actions);
        } else if (event instanceof Event.StagedLost e) {
            stagedLost(e, actions);
        } else if (event instanceof Event.InstallOverdue e) {
            installOverdue(e, actions);
        } else if (event instanceof Event.Cancelled e) {
            cancel(e, actions);
        }
        finishIfDone(actions);
        return actions;
    }

    /** A change of one table by an event, and why. */
    public record Transition(TableRef table, String change) {
        @Override
        public String toString() {
            return table + ": " + change;
        }
    }

    /** The changes of tables by the last event. */
    public List<Transition> transitions() {
        return List.copyOf(transitions);
    }

    /** Tables that became live or failed by the last event. */
    public List<PlanResult.TableResult> endedTables() {
        return endedTables.stream().map(PlannedTable::result).toList();
    }

    private void move(PlannedTable table, PlannedTable.Stage next) {
        Transitions.Rule<PlannedTable.Stage> rule = rules.rule(table.stage, handling);
        if (!rule.next().contains(next)) {
            throw new IllegalStateException(
                    handling.getSimpleName() + " leads " + table.ref + " from " + table.stage + " to " + next);
        }
        String change = table.stage + " -> " + next + " by " + handling.getSimpleName() + ": " + rule.because();
        transitions.add(new Transition(table.ref, change));
        table.stage = next;
    }

    private void start(List<Action> actions) {
        for (StreamRequest request : plan.requests()) {
            tables.computeIfAbsent(request.table().id(), id -> new PlannedTable(request.table(), now));
        }
        if (!tables.isEmpty()) {
            isAdmitting = true;
            actions.add(new Action.Admit());
        }
    }

    private void admitted(Map<UUID, Failure> refused, List<Action> actions) {
        if (isAdmitting && cancelled.isEmpty()) {
            refused.forEach((table, why) -> fail(table(table), ofThisNode(why), actions));
            open(
                    plan.requests().stream()
                            .filter(request ->
                                    !refused.containsKey(request.table().id()))
                            .toList(),
                    actions);
        }
        isAdmitting = false;
    }

    /** Opens a session with each source of {@code requests}. */
    private void open(List<StreamRequest> requests, List<Action> actions) {
        Map<Node, Session> bySource = new LinkedHashMap<>();
        for (StreamRequest request : requests) {
            Session session = bySource.computeIfAbsent(request.source(), source -> {
                Session made = new Session(sessions.size(), source);
                sessions.add(made);
                return made;
            });
            PlannedTable.SourceRanges part = new PlannedTable.SourceRanges(request);
            session.parts.put(request.table().id(), part);
            PlannedTable table = table(request.table().id());
            if (!table.hasBegun) {
                table.hasBegun = true;
                table.started = now;
            }
            table.parts.add(part);
        }
        bySource.values().forEach(session -> open(session, actions));
    }

    private void open(Session session, List<Action> actions) {
        session.isRunning = true;
        List<StreamRequest> requests =
                wanted(session).stream().map(part -> part.request).toList();
        session.asked.clear();
        requests.forEach(request -> session.asked.add(request.table().id()));
        actions.add(new Action.Open(session.number, session.attempt, session.source, requests));
    }

    /** The ranges that a session still has to fetch. */
    private List<PlannedTable.SourceRanges> wanted(Session session) {
        return session.parts.values().stream()
                .filter(part ->
                        !part.isReceived && table(part.request.table().id()).stage == PlannedTable.Stage.FETCHING)
                .toList();
    }

    private void sessionEnded(Session session, Event.SessionEnded event, List<Action> actions) {
        session.isRunning = false;
        List<PlannedTable.SourceRanges> missing = wanted(session);
        if (missing.isEmpty()) {
            return;
        }
        Failure why = event.failure()
                .orElseGet(() -> new Failure(ErrorCode.PROTOCOL, "the session ended before all data was received"));
        missing.forEach(part -> actions.add(
                new Action.Unstage(session.number, part.request.table().id())));
        if (cancelled.isPresent()) {
            return;
        }
        again(session, missing, why, event.didProgress(), actions);
    }

    /** Retries a source after a pause; uses alternates if it has failed too often. */
    private void again(
            Session session,
            List<PlannedTable.SourceRanges> missing,
            Failure why,
            boolean didProgress,
            List<Action> actions) {
        Optional<Duration> pause = session.attempts.pause(policy, why.code(), didProgress, random);
        session.attempt++;
        if (pause.isPresent()) {
            session.isPausing = true;
            actions.add(new Action.Retry(session.number, pause.get(), why.toString()));
        } else {
            if (why.code() == ErrorCode.PEER_LOST || why.code() == ErrorCode.TIMEOUT) {
                lostNodes.add(session.source.id());
            }
            replace(missing, named(session, why), actions);
        }
    }

    private PlanResult.Failure named(Session session, Failure why) {
        return new Failure(why.code(), "session with " + session.source + ": " + why.reason())
                .asResult(Optional.of(session.source.id()), now);
    }

    private PlanResult.Failure ofThisNode(Failure why) {
        return why.asResult(Optional.empty(), now);
    }

    private void retry(Session session, List<Action> actions) {
        if (!session.isPausing) {
            return;
        }
        session.isPausing = false;
        if (cancelled.isEmpty() && !wanted(session).isEmpty()) {
            open(session, actions);
        }
    }

    private void landed(Session session, UUID tableId, List<Action> actions) {
        PlannedTable table = table(tableId);
        PlannedTable.SourceRanges part = session.parts.get(tableId);
        if (part == null || table.stage != PlannedTable.Stage.FETCHING) {
            return;
        }
        part.isReceived = true;
        if (cancelled.isEmpty() && table.parts.stream().allMatch(other -> other.isReceived)) {
            move(table, PlannedTable.Stage.INSTALLING);
            actions.add(new Action.Install(tableId));
        }
    }

    private void tableFailed(Session session, UUID tableId, Failure why, List<Action> actions) {
        PlannedTable.SourceRanges part = session.parts.get(tableId);
        if (part == null
                || part.isReceived
                || table(tableId).stage != PlannedTable.Stage.FETCHING
                || cancelled.isPresent()) {
            return;
        }
        actions.add(new Action.Unstage(session.number, tableId));
        replace(List.of(part), named(session, why), actions);
    }

    /** Whether another source would fail in the same way. */
    private static boolean isOfThisNode(ErrorCode code) {
        return code == ErrorCode.DISK_FULL
                || code == ErrorCode.VOLUME_FAILED
                || code == ErrorCode.FENCED
                || code == ErrorCode.DISCARDED;
    }

    /** Requests missing ranges from alternates; tables without an alternate fail. */
    private void replace(List<PlannedTable.SourceRanges> missing, PlanResult.Failure why, List<Action> actions) {
        List<StreamRequest> instead = new ArrayList<>();
        for (PlannedTable.SourceRanges part : missing) {
            PlannedTable table = table(part.request.table().id());
            table.failedSources.add(part.request.source().id());
            Optional<List<StreamRequest>> others = isOfThisNode(why.code())
                    ? Optional.empty()
                    : alternates.others(
                            table.ref,
                            part.request.ranges(),
                            source -> table.failedSources.contains(source) || lostNodes.contains(source));
            if (others.isEmpty()) {
                fail(table, why, actions);
            } else {
                table.parts.remove(part);
                sessions.forEach(session -> session.parts.values().remove(part));
                instead.addAll(others.get());
            }
        }
        open(instead, actions);
    }

    private void fail(PlannedTable table, PlanResult.Failure why, List<Action> actions) {
        if (table.stage == PlannedTable.Stage.FAILED || table.stage == PlannedTable.Stage.INSTALLED) {
            return;
        }
        move(table, PlannedTable.Stage.FAILED);
        table.failure = Optional.of(why);
        table.ended = now;
        endedTables.add(table);
        Failure said = new Failure(why.code(), why.reason());
        notifySessions(table, new ReceivingSession.Event.TableAbandoned(table.ref.id(), said), actions);
    }

    private void installed(Event.Installed event, List<Action> actions) {
        PlannedTable table = table(event.tableId());
        boolean isLate = table.isInstallHanging;
        table.isInstallHanging = false;
        table.failure = Optional.empty();
        move(table, PlannedTable.Stage.INSTALLED);
        table.sstables = event.sstables();
        table.bytes = event.bytes();
        table.ended = now;
        endedTables.add(table);
        table.writes = event.writes();
        if (!isLate) { // otherwise its sources were notified to release it
            notifySessions(table, new ReceivingSession.Event.TableInstalled(event.tableId()), actions);
        }
    }

    private void installOverdue(Event.InstallOverdue event, List<Action> actions) {
        PlannedTable table = table(event.tableId());
        if (table.stage == PlannedTable.Stage.INSTALLING) {
            table.isInstallHanging = true;
            fail(table, ofThisNode(event.why()), actions);
        }
    }

    /** All sources send the table again, except data that is retained on other volumes. */
    private void stagedLost(Event.StagedLost event, List<Action> actions) {
        PlannedTable table = table(event.tableId());
        if (table.isInstallHanging) {
            table.isInstallHanging = false;
            table.failure = Optional.of(ofThisNode(event.why()));
            return;
        }
        if (table.stage != PlannedTable.Stage.INSTALLING) {
            return;
        }
        if (cancelled.isPresent()) {
            fail(table, ofThisNode(event.why()), actions);
            return;
        }
        move(table, PlannedTable.Stage.FETCHING);
        table.parts.forEach(part -> part.isReceived = false);
        for (Session session : List.copyOf(sessions)) {
            PlannedTable.SourceRanges part = session.parts.get(event.tableId());
            if (part == null || session.isPausing) {
                continue;
            }
            if (session.isRunning) {
                actions.add(new Action.Notify(session.number, new ReceivingSession.Event.Failed(event.why())));
            } else {
                again(session, wanted(session), event.why(), false, actions);
            }
        }
    }

    private void installFailed(Event.InstallFailed event, List<Action> actions) {
        PlannedTable table = table(event.tableId());
        table.isCutShort = isClosing();
        if (table.isInstallHanging) {
            table.isInstallHanging = false;
            table.failure = Optional.of(withOutlook(event));
        } else if (!event.outlook().isCommitted()) {
            fail(table, withOutlook(event), actions);
        } else if (++table.failedInstalls < policy.attempts() && cancelled.isEmpty()) {
            Duration pause = policy.pause(table.failedInstalls, random.nextDouble());
            table.pausedInstall = Optional.of(withOutlook(event));
            actions.add(
                    new Action.RetryInstall(table.ref.id(), pause, event.why().toString()));
        } else {
            fail(table, withOutlook(event), actions);
        }
    }

    /** The plan has ended without an install, which fails now: its set is dropped as it would have been before. */
    private List<Action> late(Event event) {
        if (event instanceof Event.InstallFailed e) {
            return dropLate(table(e.tableId()), e.why().code());
        }
        return event instanceof Event.StagedLost e
                ? dropLate(table(e.tableId()), e.why().code())
                : List.of();
    }

    private List<Action> dropLate(PlannedTable table, ErrorCode why) {
        if (!table.isInstallHanging) {
            return List.of();
        }
        table.isInstallHanging = false;
        table.isCutShort = isClosing();
        return List.of(drop(table, Optional.of(why)));
    }

    /** Whether this node closes. */
    private boolean isClosing() {
        return cancelled.isPresent() && isKept;
    }

    /** @param why it is not live; empty if only the plan was cancelled */
    private Action drop(PlannedTable table, Optional<ErrorCode> why) {
        return new Action.Drop(
                table.ref.id(), isKept && why.map(code -> mayHelp(table, code)).orElse(true));
    }

    /** Whether another attempt may use what was received of a table that failed. */
    private static boolean mayHelp(PlannedTable table, ErrorCode why) {
        boolean isFinal = why == ErrorCode.DISCARDED || why == ErrorCode.SCHEMA || why == ErrorCode.FENCED;
        return why.isRetryable() || (table.isCutShort && !isFinal);
    }

    private static void installAgain(PlannedTable table, List<Action> actions) {
        if (table.pausedInstall.isPresent()) {
            table.pausedInstall = Optional.empty();
            actions.add(new Action.Install(table.ref.id()));
        }
    }

    private PlanResult.Failure withOutlook(Event.InstallFailed event) {
        Failure why = event.why();
        return ofThisNode(new Failure(why.code(), why.reason() + event.outlook().words()));
    }

    private void notifySessions(PlannedTable table, ReceivingSession.Event event, List<Action> actions) {
        for (Session session : sessions) {
            UUID id = table.ref.id(); // the current attempt does not know what an earlier one received
            if (session.isRunning && session.parts.containsKey(id) && session.asked.contains(id)) {
                actions.add(new Action.Notify(session.number, event));
            }
        }
    }

    private void cancel(Event.Cancelled event, List<Action> actions) {
        if (cancelled.isPresent()) {
            return;
        }
        cancelled = Optional.of(ofThisNode(event.why()));
        isKept = event.isKept();
        for (Session session : sessions) {
            session.isPausing = false;
            if (session.isRunning) {
                actions.add(new Action.Notify(session.number, new ReceivingSession.Event.Failed(event.why())));
            }
        }
        for (PlannedTable table : tables.values()) {
            Optional<PlanResult.Failure> paused = table.pausedInstall;
            table.pausedInstall = Optional.empty();
            paused.ifPresent(failure -> fail(table, failure, actions));
        }
    }

    private void finishIfDone(List<Action> actions) {
        boolean isBusy = isAdmitting
                || sessions.stream().anyMatch(session -> session.isRunning || session.isPausing)
                || tables.values().stream().anyMatch(table -> table.stage == PlannedTable.Stage.INSTALLING);
        if (isBusy) {
            return;
        }
        isFinished = true;
        List<PlanResult.TableResult> results = new ArrayList<>();
        List<PlanResult.RangeResult> ranges = new ArrayList<>();
        for (PlannedTable table : tables.values()) {
            if (table.stage != PlannedTable.Stage.INSTALLED) {
                Optional<ErrorCode> why = table.failure.map(PlanResult.Failure::code);
                if (table.failure.isEmpty()) {
                    table.failure = cancelled;
                    table.ended = now;
                    endedTables.add(table);
                }
                if (!table.isInstallHanging) {
                    actions.add(drop(table, why));
                }
            }
            results.add(table.result());
            ranges.addAll(table.ranges(plan));
        }
        boolean isComplete = !tables.isEmpty()
                && tables.values().stream().allMatch(table -> table.stage == PlannedTable.Stage.INSTALLED);
        Optional<PlanResult.Failure> first = cancelled.isPresent() && !isComplete
                ? cancelled
                : tables.values().stream()
                        .flatMap(table -> table.failure.stream())
                        .findFirst();
        actions.add(new Action.Finish(results, ranges, first));
    }

    private PlannedTable table(UUID id) {
        PlannedTable table = tables.get(id);
        if (table == null) {
            throw new IllegalStateException("table " + id + " is not in plan " + plan.id());
        }
        return table;
    }
}
