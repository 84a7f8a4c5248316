package io.sluice.streaming.engine.receive;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.metrics.Activity;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.PlanCoordinator.Action;
import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.session.ReceivingSession;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Performs what the {@link PlanCoordinator} of one plan decides: opens sessions, installs tables, cleans up. Long
 * because each action of the coordinator is performed here.
 *
 * <p>Confined to the loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // scheduled tasks do not fail: they post events
public final class PlanExecution {
    private static final Logger LOG = LoggerFactory.getLogger(PlanExecution.class);
    /** A plan that is over waits this long for the disk. */
    static final long HUNG_SECONDS = 2;

    /** Grace period of a running install when its plan is cancelled. */
    private static final long CANCEL_GRACE_SECONDS = 4;

    private static final long SCHEMA_PAUSE_NANOS = 500_000_000;

    private final StreamPlan plan;
    private final LogKeys keys;
    private final ReceivingContext receiving;
    private final NodeContext node;
    private final PlanCoordinator coordinator;
    private final Map<Integer, ReceivingPeer> sessions = new LinkedHashMap<>();
    private final PlanTables tables;
    private final Map<Integer, Wait> pauses = new HashMap<>();
    private final CompletableFuture<PlanResult> done = new CompletableFuture<>();
    private final Instant started;
    private volatile Priority priority; // changed on the loop
    private boolean isPaused;
    private boolean isAnswered;
    private @Nullable Timer admission;
    private Activity.@Nullable Run running;
    private @Nullable PlanResult ended;
    private volatile boolean isCancelled;
    private CompletableFuture<Void> cleaning = CompletableFuture.completedFuture(null);

    private final InstallCalls installs;
    private final VirtualMachineErrors fatal = new VirtualMachineErrors();

    /** Creates an execution that begins with {@link #start}. */
    public PlanExecution(StreamPlan plan, ReceivingContext receiving) {
        this.plan = plan;
        this.keys = LogKeys.of(plan.id());
        this.receiving = receiving;
        this.node = receiving.node();
        this.started = node.now();
        this.priority = plan.operation().priority();
        this.coordinator = new PlanCoordinator(
                plan, receiving.retries(), new SplittableRandom(plan.id().getLeastSignificantBits()));
        this.tables = new PlanTables(plan, receiving, fatal);
        this.installs = new InstallCalls(node.deadlines().install().toNanos(), new InstallSteps());
    }

    /** The operations for the installs of this plan. */
    private final class InstallSteps implements InstallCalls.Steps {
        @Override
        public void inTurn(Runnable work) {
            PlanExecution.this.inTurn(work);
        }

        @Override
        public void onLoop(Runnable work) {
            node.onLoop(work);
        }

        @Override
        public Timer after(long nanos, Runnable work) {
            return PlanExecution.this.after(nanos, work);
        }

        @Override
        public Event install(UUID tableId) {
            return tables.install(tableId);
        }

        @Override
        public void post(Event event) {
            on(event);
        }

        @Override
        public void settle(Event late) {
            keys.run(() -> settled(late));
        }

        private void settled(Event late) {
            LOG.warn("plan {}: an install that had timed out has finished: {}", plan.id(), late);
            if (coordinator.isFinished()) {
                cleaning = cleaning.thenRunAsync(
                        keys.around(tables::endStaging), node.environment().disk());
            }
        }
    }

    /** Runs a call of the database after all previous ones have ended. */
    private void inTurn(Runnable work) {
        node.onInstalls(plan.id(), () -> unlessClosed(work));
    }

    /** Runs work of another thread, whose answer has nowhere to go if the node was closed meanwhile. */
    private void unlessClosed(Runnable work) {
        try {
            work.run();
        } catch (RejectedExecutionException closed) {
            LOG.warn(
                    "plan {}: a call of the database or the disk has ended after the node was closed; recovery finishes"
                            + " what it began when this node restarts",
                    plan.id());
        }
    }

    UUID planId() {
        return plan.id();
    }

    /** Errors to pass on to the embedder when the plan has ended. */
    VirtualMachineErrors fatal() {
        return fatal;
    }

    PlanTables tables() {
        return tables;
    }

    ReceivingContext receiving() {
        return receiving;
    }

    /** Opens all sessions. */
    public void start() {
        keys.run(this::begin);
    }

    private void begin() {
        running = node.traffic().plans().begin(node.nanoTime());
        node.access().audit().record(opened());
        LOG.info(
                "plan {}: {}, {} requests, {} tables",
                plan.id(),
                plan.operation(),
                plan.requests().size(),
                tables.count());
        on(new Event.Started());
    }

    private AuditEvent opened() {
        return new AuditEvent.PlanOpened(
                plan.id(),
                plan.operation().name(),
                plan.requests().stream().map(StreamRequest::table).distinct().toList(),
                plan.requests().stream()
                        .mapToInt(request -> request.ranges().ranges().size())
                        .sum(),
                plan.requests().stream()
                        .map(request -> request.source().id())
                        .distinct()
                        .toList());
    }

    /**
     * Completes, on a disk thread, when the plan has ended and everything is cleaned up. Completes exceptionally if
     * ending it failed: then see the node's log; the plan may be executed again.
     */
    public CompletableFuture<PlanResult> result() {
        return done;
    }

    /** A sample of each session. */
    public List<SessionProgress> progress() {
        List<SessionProgress> samples = new ArrayList<>();
        sessions.forEach((number, session) -> samples.add(progress(number, session)));
        return samples;
    }

    /** How much is received of each table, from all its sources. */
    public List<TableProgress> receivedTables() {
        Map<UUID, TableProgress> tables = new LinkedHashMap<>();
        sessions.values().stream()
                .flatMap(session -> session.receivedTables().stream())
                .forEach(table -> tables.merge(table.tableId(), table, TableProgress::plus));
        return List.copyOf(tables.values());
    }

    private SessionProgress progress(int number, ReceivingPeer session) {
        SessionProgress sample = session.progress();
        Wait pause = pauses.get(number);
        return pause == null ? sample : sample.pausing(pause);
    }

    /** Adds what each session waits for. On the loop. */
    public void addWaits(Map<StreamActivity.Session, Wait> waits) {
        sessions.forEach((number, session) ->
                progress(number, session).waitingFor().ifPresent(wait -> waits.put(session.session(), wait)));
    }

    /** Whether any bytes were received so far. On the loop only. */
    boolean hasReceived() {
        return sessions.values().stream().anyMatch(ReceivingPeer::hasReceived);
    }

    /** Cancels the plan, and removes what it has received; committed tables stay committed. */
    public void cancel(String reason) {
        cancel(reason, false);
    }

    /** Cancels the plan because the node closes: retains what it has received for another attempt. */
    public void close(String reason) {
        cancel(reason, true);
    }

    private void cancel(String reason, boolean isKept) {
        isCancelled = true;
        keys.run(() -> {
            Failure why = new Failure(ErrorCode.CANCELLED, reason);
            node.access().audit().record(new AuditEvent.Cancelled(plan.id(), reason));
            on(new Event.Cancelled(why, isKept));
            endSoon(why);
        });
    }

    private void endSoon(Failure why) {
        untilDone(
                CANCEL_GRACE_SECONDS,
                () -> installs.cancelled(TimeUnit.SECONDS.toNanos(CANCEL_GRACE_SECONDS), why.reason()));
        untilDone(HUNG_SECONDS, () -> {
            if (!isAnswered) {
                answered(new Event.Refused(why));
            }
        });
    }

    /**
     * The node closes, and does not wait any longer for what a disk or the database blocks: completes the result, which
     * is known if only the notification of the database is missing. On the loop only.
     */
    public void abandon(String reason) {
        PlanResult known = ended;
        if (known != null) {
            done.complete(known);
        } else {
            done.completeExceptionally(new StreamException(
                    ErrorCode.CANCELLED,
                    "plan " + plan.id() + ": " + reason
                            + " before the plan has ended; when this node restarts, recovery"
                            + " finishes committed tables, and retains what was received of the others"));
        }
    }

    /** Requests nothing more until it is resumed. Idempotent. On the loop only. */
    public void pause() {
        if (!isPaused) {
            isPaused = true;
            keys.run(() -> LOG.info("plan {}: paused by hand", plan.id()));
            sessions.values().forEach(session -> session.on(new ReceivingSession.Event.Paused()));
        }
    }

    /** Resumes after a pause. On the loop only. */
    public void resume() {
        if (isPaused) {
            isPaused = false;
            keys.run(() -> LOG.info("plan {}: resumed", plan.id()));
            sessions.values().forEach(session -> session.on(new ReceivingSession.Event.Resumed()));
        }
    }

    /** How urgent it is now. From any thread. */
    public Priority priority() {
        return priority;
    }

    /** Makes it more or less urgent: from the next wait and the next piece on. On the loop only. */
    public void prioritize(Priority next) {
        keys.run(() -> LOG.info("plan {}: priority {} (before: {})", plan.id(), next.word(), priority.word()));
        priority = next;
    }

    /** Handles one event; on the loop only. An exception of one of its steps ends the plan, after the other steps. */
    void on(Event event) {
        keys.run(() -> handle(event));
    }

    private void handle(Event event) {
        step(event).ifPresent(defect -> {
            LOG.error("plan {}: a step failed, the plan ends", plan.id(), defect);
            isCancelled = true;
            Failure why = new Failure(Failure.of(defect).code(), "a step of the plan failed: " + defect);
            step(new Event.Cancelled(why, false))
                    .ifPresent(again -> LOG.error("plan {}: a step of ending the plan failed, too", plan.id(), again));
            try {
                endSoon(why);
            } catch (Throwable again) {
                fatal.note(again);
                LOG.error("plan {}: finished, but no caller waits for it", plan.id(), again);
            }
        });
    }

    /** Handles an event; returns the exception, if any. */
    private Optional<Throwable> step(Event event) {
        List<Throwable> defects = new ArrayList<>();
        List<Action> actions = List.of();
        try {
            actions = coordinator.on(event, node.now());
            coordinator.endedTables().forEach(table -> receiving.activity().tableEnded(plan.id(), table));
            coordinator
                    .transitions()
                    .forEach(line -> keys.withTable(line.table()).run(() -> LOG.info("plan {}: {}", plan.id(), line)));
        } catch (Throwable e) {
            fatal.note(e);
            defects.add(e);
        }
        for (Action action : actions) {
            try {
                perform(action);
            } catch (Throwable e) {
                fatal.note(e);
                defects.add(e);
                if (action instanceof Action.Finish) {
                    done.completeExceptionally(e);
                }
            }
        }
        return defects.stream().findFirst();
    }

    private void perform(Action action) {
        if (action instanceof Action.Admit) {
            long timeout = receiving.schemaTimeout().toNanos();
            node.onDisk(plan.id(), () -> unlessClosed(() -> admit(node.nanoTime() + timeout)));
            long most = timeout + node.deadlines().prepare().toNanos();
            admission = after(
                    most,
                    () -> answered(new Event.Refused(new Failure(
                            ErrorCode.TIMEOUT,
                            "the disk of " + node.self() + " has not answered for "
                                    + TimeUnit.NANOSECONDS.toSeconds(most) + " s; the plan was not started"))));
        } else if (action instanceof Action.Open a) {
            open(a);
        } else if (action instanceof Action.Notify a) {
            session(a.session()).on(a.event());
        } else if (action instanceof Action.Retry a) {
            keysOf(a.session())
                    .run(() -> node.log()
                            .write(
                                    LOG,
                                    Level.WARN,
                                    address(a.session()),
                                    "plan {} session {}: retrying in {} ms: {}",
                                    plan.id(),
                                    a.session(),
                                    a.pause().toMillis(),
                                    a.why()));
            pauses.put(a.session(), new Wait(Waiting.RETRY, node.now(), Optional.of(a.pause()), "after " + a.why()));
            after(a.pause().toNanos(), () -> on(new Event.RetryDue(a.session())));
        } else if (action instanceof Action.Unstage a) {
            ReceivingPeer opened = sessions.get(a.session());
            if (opened != null) { // otherwise it has staged nothing
                tables.unstage(a.tableId(), opened.id());
            }
        } else if (action instanceof Action.Install a) {
            installs.begin(a.tableId());
        } else if (action instanceof Action.RetryInstall a) {
            keys.withTable(tables.name(a.tableId()))
                    .run(() -> LOG.warn(
                            "plan {}: the install of {} is not complete, retrying it in {} ms: {}",
                            plan.id(),
                            tables.name(a.tableId()),
                            a.pause().toMillis(),
                            a.why()));
            after(a.pause().toNanos(), () -> on(new Event.InstallDue(a.tableId())));
        } else if (action instanceof Action.Drop a) {
            cleaning = cleaning.thenRunAsync(
                    keys.around(() -> tables.drop(a)), node.environment().disk());
        } else if (action instanceof Action.Finish a) {
            finish(a);
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    private void open(Action.Open order) {
        pauses.remove(order.session());
        ReceivingPeer peer;
        try {
            peer = new ReceivingPeer(this, plan.operation(), order);
        } catch (Throwable e) { // any exception: the plan waits for the end of the session
            fatal.note(e);
            LogKeys.of(plan.id(), order.source().id())
                    .run(() -> LOG.error("plan {} session {}: cannot open the session", plan.id(), order.session(), e));
            node.onLoop(() -> on(new Event.SessionEnded(order.session(), Optional.of(Failure.of(e)), false)));
            return;
        }
        sessions.put(order.session(), peer);
        peer.start();
        if (isPaused) {
            peer.on(new ReceivingSession.Event.Paused());
        }
    }

    /** The address of a session's peer, if the session was opened. */
    private String address(int session) {
        return Optional.ofNullable(sessions.get(session))
                .map(ReceivingPeer::address)
                .orElse("?");
    }

    /** The log keys, with the peer of a session if it was opened. */
    private LogKeys keysOf(int session) {
        return Optional.ofNullable(sessions.get(session))
                .map(ReceivingPeer::keys)
                .orElse(keys);
    }

    private Timer after(long nanos, Runnable work) {
        return node.environment().loop().after(nanos, keys.around(work));
    }

    /** Runs {@code work} after so many seconds, unless the plan has ended by then, which it would keep in memory. */
    private void untilDone(long seconds, Runnable work) {
        Timer timer = after(TimeUnit.SECONDS.toNanos(seconds), () -> {
            if (!done.isDone()) {
                work.run();
            }
        });
        done.whenComplete((result, defect) -> timer.cancel());
    }

    private ReceivingPeer session(int number) {
        ReceivingPeer session = sessions.get(number);
        if (session == null) {
            throw new IllegalStateException("plan " + plan.id() + " has no session " + number);
        }
        return session;
    }

    /** Removes no received file before {@code done}: other threads may still use it. On the loop. */
    void cleanAfter(CompletableFuture<Void> done) {
        cleaning = CompletableFuture.allOf(cleaning, done);
    }

    /**
     * Decides on a disk thread whether this node accepts the plan, and asks the database about its tables. A table that
     * is unknown here may arrive with a schema change: the database is asked again until {@code deadlineNanos}.
     */
    private void admit(long deadlineNanos) {
        try {
            Map<UUID, Failure> unknown = tables.unknown();
            if (!unknown.isEmpty() && !isCancelled && node.nanoTime() < deadlineNanos) {
                LOG.info("plan {}: waiting for the schema of {}", plan.id(), unknown.values());
                after(SCHEMA_PAUSE_NANOS, () -> node.onDisk(plan.id(), () -> unlessClosed(() -> admit(deadlineNanos))));
                return;
            }
            tables.expect(unknown.keySet());
            if (tables.haveCommitted(unknown.keySet())) {
                node.onLoop(this::waitForEarlierInstalls);
                inTurn(() -> finishCommitted(unknown));
            } else {
                answer(new Event.Admitted(unknown));
            }
        } catch (Throwable e) { // any exception: the plan waits for an answer
            fatal.note(e);
            LOG.warn("plan {}: not admitted: {}", plan.id(), e.getMessage(), e);
            answer(new Event.Refused(Failure.of(e)));
        }
    }

    /** Waits for earlier installs of this plan, as long as for any install. */
    private void waitForEarlierInstalls() {
        Timer deadline = admission;
        if (isAnswered || deadline == null) {
            return;
        }
        deadline.cancel();
        long most = node.deadlines().install().toNanos();
        admission = after(
                most,
                () -> answered(new Event.Refused(new Failure(
                        ErrorCode.TIMEOUT,
                        "an earlier execution of the plan has committed tables, and the database did not answer for "
                                + TimeUnit.NANOSECONDS.toSeconds(most)
                                + " s (is it blocked?): they go live when it answers or when this node restarts;"
                                + " nothing was fetched"))));
    }

    private void finishCommitted(Map<UUID, Failure> unknown) {
        Map<UUID, Failure> refused = new HashMap<>(unknown);
        refused.putAll(tables.finishCommitted(unknown.keySet()));
        answer(new Event.Admitted(refused));
    }

    private void answer(Event event) {
        node.onLoop(() -> answered(event));
    }

    /** Only the first answer counts: the answer of an abandoned disk is ignored. */
    private void answered(Event event) {
        Timer deadline = admission;
        if (deadline != null) {
            deadline.cancel(); // it would keep the plan in memory until it fires
        }
        if (!isAnswered) {
            isAnswered = true;
            on(event);
        } else if (done.isDone()) {
            inTurn(tables::endArrivals);
        }
    }

    private void finish(Action.Finish action) {
        pauses.clear();
        if (running != null) {
            running.end(action.failure().map(PlanResult.Failure::code), node.nanoTime());
        }
        PlanResult result = new PlanResult(
                plan.id(), started, node.now(), action.failure(), action.tables(), action.ranges(), progress());
        ended = result;
        CompletableFuture<Void> cleaned = cleaning.thenRunAsync(
                keys.around(tables::endStaging), node.environment().disk());
        String end = action.failure().map(why -> "failed: " + why).orElse("complete");
        AtomicBoolean isTold = new AtomicBoolean();
        Runnable notification = keys.around(() -> {
            if (isTold.compareAndSet(false, true)) {
                tables.endArrivals();
                LOG.info("plan {}: {}", plan.id(), end);
                long bytes = result.tables().stream()
                        .mapToLong(PlanResult.TableResult::bytes)
                        .sum();
                node.access().audit().record(new AuditEvent.PlanEnded(plan.id(), bytes, end));
                notifyResult(result);
                done.complete(result);
                fatal.handOn();
            }
        });
        cleaned.whenComplete((nothing, defect) -> {
            if (defect != null) {
                keys.run(() -> LOG.error(
                        "plan {}: cannot clean up staging, its files stay until this node restarts",
                        plan.id(),
                        defect));
            }
            inTurn(notification);
        });
        untilDone(HUNG_SECONDS, () -> {
            if (!cleaned.isDone()) {
                LOG.warn(
                        "plan {}: finished, but the disk did not answer within {} s (overloaded?); received files are removed,"
                                + " or retained for another attempt, when it answers",
                        plan.id(),
                        HUNG_SECONDS);
                inTurn(notification); // not on a thread that the disk may block
            }
        });
        untilDone(2 * HUNG_SECONDS, () -> {
            LOG.error(
                    "plan {}: finished, but a call of the database or an install is blocked; the database is notified of the"
                            + " result afterwards",
                    plan.id());
            done.completeAsync(() -> result, node.environment().disk());
        });
    }

    /** Notifies the database; an exception is only logged. */
    private void notifyResult(PlanResult result) {
        try {
            receiving.finished().accept(result);
        } catch (RuntimeException e) {
            fatal.note(e);
            LOG.error("plan {}: the database failed in the notification of the result", plan.id(), e);
        }
    }
}
