package io.sluice.streaming.session;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.time.Duration;
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
 * Decides what becomes of one plan at the node that executes it: which sessions to open, which to try again and when,
 * whom to ask instead of a source that failed, when a table is complete and may be installed, and when all has ended.
 *
 * <p>A table is installed when all its ranges have landed, whole or not at all; tables do not wait for each other, and
 * one that fails takes no other with it. What a source had staged of a table when it failed does not count: its
 * replacement sends all of it, so that a tombstone and what it deletes arrive together.
 *
 * <p>Without I/O, threads or clock: events in, actions out. Not thread-safe.
 */
public final class PlanCoordinator {
    private final StreamPlan plan;
    private final RetryPolicy policy;
    private final RandomGenerator random;
    private final Map<UUID, Table> tables = new LinkedHashMap<>();
    private final List<Session> sessions = new ArrayList<>();
    private final Set<UUID> lostNodes = new HashSet<>();
    private Optional<Failure> cancelled = Optional.empty();
    private boolean isFinished;

    /** What happens to the plan. */
    public sealed interface Event {
        /** The plan begins. */
        record Started() implements Event {}

        /**
         * A session is over, and nobody writes to its files any more.
         *
         * @param didProgress whether bytes have come in this attempt
         */
        record SessionEnded(int session, Optional<Failure> failure, boolean didProgress) implements Event {}

        /** All of a table that a session asked for is staged. */
        record TableLanded(int session, UUID tableId) implements Event {}

        /** A session goes on without a table. */
        record TableFailed(int session, UUID tableId, Failure why) implements Event {}

        /** A pause is over. */
        record RetryDue(int session) implements Event {}

        /** A table is live. */
        record Installed(UUID tableId, int sstables, long bytes) implements Event {}

        /** A table could not be made live. */
        record InstallFailed(UUID tableId, Failure why) implements Event {}

        /** Somebody wants it to end. */
        record Cancelled(String reason) implements Event {}
    }

    /** What the owner is to do, in order. */
    public sealed interface Action {
        /** Open a session; all its requests are of one source. */
        record Open(int session, int attempt, Node source, List<StreamRequest> requests) implements Action {}

        /** Bring something to the notice of a running session. */
        record Tell(int session, ReceivingSession.Event event) implements Action {}

        /** Answer {@link Event.RetryDue} later. */
        record Retry(int session, Duration pause, String why) implements Action {}

        /** What the session has staged of a table must not become live. Before anything else happens to that table. */
        record Unstage(int session, UUID tableId) implements Action {}

        /** Make a table live, then answer {@link Event.Installed} or {@link Event.InstallFailed}. */
        record Install(UUID tableId) implements Action {}

        /** A table will not become live: remove what has landed of it, or keep it for another plan. */
        record Drop(UUID tableId, boolean isKept) implements Action {}

        /** The plan has ended; nothing is running any more. */
        record Finish(
                List<PlanResult.TableResult> tables, List<PlanResult.RangeResult> ranges, Optional<Failure> failure)
                implements Action {}
    }

    private enum Stage {
        FETCHING,
        INSTALLING,
        INSTALLED,
        FAILED
    }

    private static final class Table {
        final TableRef ref;
        final List<Part> parts = new ArrayList<>();
        final Set<UUID> failedSources = new HashSet<>();
        Stage stage = Stage.FETCHING;
        int sstables;
        long bytes;
        Optional<Failure> failure = Optional.empty();

        Table(TableRef ref) {
            this.ref = ref;
        }
    }

    /** Ranges of one table from one source. */
    private static final class Part {
        final StreamRequest request;
        boolean hasLanded;

        Part(StreamRequest request) {
            this.request = request;
        }
    }

    private static final class Session {
        final int number;
        final Node source;
        final Map<UUID, Part> parts = new LinkedHashMap<>();
        int attempt;
        int failuresInARow;
        boolean isRunning;
        boolean isPausing;

        Session(int number, Node source) {
            this.number = number;
            this.source = source;
        }
    }

    /** @param random for pauses; in a test or simulation, from a seed */
    public PlanCoordinator(StreamPlan plan, RetryPolicy policy, RandomGenerator random) {
        this.plan = plan;
        this.policy = policy;
        this.random = random;
    }

    /** Whether the plan has ended. */
    public boolean isFinished() {
        return isFinished;
    }

    /** What to do about {@code event}, in order. */
    public List<Action> on(Event event) {
        if (isFinished) {
            return List.of();
        }
        List<Action> actions = new ArrayList<>();
        if (event instanceof Event.Started) {
            start(actions);
        } else if (event instanceof Event.SessionEnded e) {
            sessionEnded(sessions.get(e.session()), e, actions);
        } else if (event instanceof Event.TableLanded e) {
            landed(sessions.get(e.session()), e.tableId(), actions);
        } else if (event instanceof Event.TableFailed e) {
            tableFailed(sessions.get(e.session()), e.tableId(), e.why(), actions);
        } else if (event instanceof Event.RetryDue e) {
            retry(sessions.get(e.session()), actions);
        } else if (event instanceof Event.Installed e) {
            installed(e, actions);
        } else if (event instanceof Event.InstallFailed e) {
            fail(table(e.tableId()), e.why(), actions);
        } else if (event instanceof Event.Cancelled e) {
            cancel(e.reason(), actions);
        }
        finishIfDone(actions);
        return actions;
    }

    private void start(List<Action> actions) {
        for (StreamRequest request : plan.requests()) {
            tables.computeIfAbsent(request.table().id(), id -> new Table(request.table()));
        }
        open(plan.requests(), actions);
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
            Part part = new Part(request);
            session.parts.put(request.table().id(), part);
            table(request.table().id()).parts.add(part);
        }
        bySource.values().forEach(session -> open(session, actions));
    }

    private void open(Session session, List<Action> actions) {
        session.isRunning = true;
        List<StreamRequest> requests =
                wanted(session).stream().map(part -> part.request).toList();
        actions.add(new Action.Open(session.number, session.attempt, session.source, requests));
    }

    /** What a session has still to bring. */
    private List<Part> wanted(Session session) {
        return session.parts.values().stream()
                .filter(part -> !part.hasLanded && table(part.request.table().id()).stage == Stage.FETCHING)
                .toList();
    }

    private void sessionEnded(Session session, Event.SessionEnded event, List<Action> actions) {
        session.isRunning = false;
        List<Part> missing = wanted(session);
        if (missing.isEmpty()) {
            return;
        }
        Failure why = event.failure()
                .orElseGet(() -> new Failure(ErrorCode.PROTOCOL, "the session ended before all has landed"));
        missing.forEach(part -> actions.add(
                new Action.Unstage(session.number, part.request.table().id())));
        session.failuresInARow = event.didProgress() ? 1 : session.failuresInARow + 1;
        session.attempt++;
        boolean mayRetry = RetryPolicy.isWorthAnotherAttempt(why.code())
                && session.failuresInARow < policy.attempts()
                && session.attempt < policy.maxAttempts();
        if (cancelled.isPresent()) {
            return;
        }
        if (mayRetry) {
            session.isPausing = true;
            Duration pause = policy.pause(session.failuresInARow, random.nextDouble());
            actions.add(new Action.Retry(session.number, pause, why.toString()));
        } else {
            if (why.code() == ErrorCode.PEER_LOST || why.code() == ErrorCode.TIMEOUT) {
                lostNodes.add(session.source.id());
            }
            replace(missing, named(session, why), actions);
        }
    }

    private static Failure named(Session session, Failure why) {
        return new Failure(why.code(), "session with " + session.source + ": " + why.reason());
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
        Table table = table(tableId);
        Part part = session.parts.get(tableId);
        if (part == null || table.stage != Stage.FETCHING) {
            return;
        }
        part.hasLanded = true;
        if (cancelled.isEmpty() && table.parts.stream().allMatch(other -> other.hasLanded)) {
            table.stage = Stage.INSTALLING;
            actions.add(new Action.Install(tableId));
        }
    }

    private void tableFailed(Session session, UUID tableId, Failure why, List<Action> actions) {
        Part part = session.parts.get(tableId);
        if (part == null || part.hasLanded || table(tableId).stage != Stage.FETCHING || cancelled.isPresent()) {
            return;
        }
        actions.add(new Action.Unstage(session.number, tableId));
        replace(List.of(part), named(session, why), actions);
    }

    /** Has others send what a source could not; tables for which there are no others fail. */
    private void replace(List<Part> missing, Failure why, List<Action> actions) {
        List<StreamRequest> instead = new ArrayList<>();
        for (Part part : missing) {
            Table table = table(part.request.table().id());
            table.failedSources.add(part.request.source().id());
            Optional<List<StreamRequest>> others =
                    why.code() == ErrorCode.DISK_FULL ? Optional.empty() : others(table, part.request.ranges());
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

    /** Requests to other sources for all of {@code ranges}; empty if some of it nobody else has. */
    private Optional<List<StreamRequest>> others(Table table, TokenRanges ranges) {
        Map<Node, TokenRanges> bySource = new LinkedHashMap<>();
        TokenRanges left = ranges;
        for (StreamRequest spare : plan.spares()) {
            UUID source = spare.source().id();
            if (!spare.table().equals(table.ref)
                    || table.failedSources.contains(source)
                    || lostNodes.contains(source)) {
                continue;
            }
            TokenRanges taken = left.intersection(spare.ranges());
            if (!taken.isEmpty()) {
                bySource.merge(spare.source(), taken, TokenRanges::union);
                left = left.minus(taken);
            }
        }
        List<StreamRequest> requests = new ArrayList<>();
        bySource.forEach((source, taken) -> requests.add(new StreamRequest(source, table.ref, taken)));
        return left.isEmpty() ? Optional.of(requests) : Optional.empty();
    }

    private void fail(Table table, Failure why, List<Action> actions) {
        if (table.stage == Stage.FAILED || table.stage == Stage.INSTALLED) {
            return;
        }
        table.stage = Stage.FAILED;
        table.failure = Optional.of(why);
        tell(table, new ReceivingSession.Event.TableGivenUp(table.ref.id(), why), actions);
    }

    private void installed(Event.Installed event, List<Action> actions) {
        Table table = table(event.tableId());
        table.stage = Stage.INSTALLED;
        table.sstables = event.sstables();
        table.bytes = event.bytes();
        tell(table, new ReceivingSession.Event.TableInstalled(event.tableId()), actions);
    }

    private void tell(Table table, ReceivingSession.Event event, List<Action> actions) {
        for (Session session : sessions) {
            if (session.isRunning && session.parts.containsKey(table.ref.id())) {
                actions.add(new Action.Tell(session.number, event));
            }
        }
    }

    private void cancel(String reason, List<Action> actions) {
        if (cancelled.isPresent()) {
            return;
        }
        Failure why = new Failure(ErrorCode.CANCELLED, reason);
        cancelled = Optional.of(why);
        for (Session session : sessions) {
            session.isPausing = false;
            if (session.isRunning) {
                actions.add(new Action.Tell(session.number, new ReceivingSession.Event.Failed(why)));
            }
        }
    }

    private void finishIfDone(List<Action> actions) {
        boolean isBusy = sessions.stream().anyMatch(session -> session.isRunning || session.isPausing)
                || tables.values().stream().anyMatch(table -> table.stage == Stage.INSTALLING);
        if (isBusy) {
            return;
        }
        isFinished = true;
        List<PlanResult.TableResult> results = new ArrayList<>();
        List<PlanResult.RangeResult> ranges = new ArrayList<>();
        for (Table table : tables.values()) {
            if (table.stage != Stage.INSTALLED) {
                if (table.failure.isEmpty()) {
                    table.failure = cancelled;
                }
                actions.add(new Action.Drop(table.ref.id(), cancelled.isEmpty() && isWorthKeeping(table)));
            }
            String reason = table.failure.map(Failure::toString).orElse("");
            boolean isInstalled = table.stage == Stage.INSTALLED;
            results.add(new PlanResult.TableResult(table.ref, isInstalled, table.sstables, table.bytes, reason));
            for (Part part : table.parts) {
                ranges.add(new PlanResult.RangeResult(
                        table.ref,
                        part.request.ranges().ranges(),
                        part.request.source().name(),
                        outcome(table),
                        reason));
            }
        }
        Optional<Failure> first = cancelled.isPresent()
                ? cancelled
                : tables.values().stream()
                        .flatMap(table -> table.failure.stream())
                        .findFirst();
        actions.add(new Action.Finish(results, ranges, first));
    }

    private static boolean isWorthKeeping(Table table) {
        return table.failure
                .map(why -> RetryPolicy.isWorthAnotherAttempt(why.code()))
                .orElse(false);
    }

    private static PlanResult.Outcome outcome(Table table) {
        if (table.stage == Stage.INSTALLED) {
            return PlanResult.Outcome.INSTALLED;
        }
        return table.failure
                        .map(Failure::code)
                        .filter(PlanCoordinator::isRefusal)
                        .isPresent()
                ? PlanResult.Outcome.REFUSED
                : PlanResult.Outcome.FAILED;
    }

    private static boolean isRefusal(ErrorCode code) {
        return switch (code) {
            case UNKNOWN_TABLE, NOT_WHOLE, DISK_FULL, WRONG_PEER, NO_SOURCE -> true;
            default -> false;
        };
    }

    private Table table(UUID id) {
        Table table = tables.get(id);
        if (table == null) {
            throw new IllegalStateException("table " + id + " is not of plan " + plan.id());
        }
        return table;
    }
}
