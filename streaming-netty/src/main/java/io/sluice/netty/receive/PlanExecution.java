package io.sluice.netty.receive;

import io.sluice.netty.metrics.InstallEvent;
import io.sluice.netty.metrics.Traffic;
import io.sluice.netty.transport.Dialer;
import io.sluice.netty.transport.Lanes;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.component.Version;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Fence;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.TransferMode;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.LiveWrites;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Deadlines;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.PlanCoordinator.Action;
import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.RetryPolicy;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.throttle.Throttles;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs what the {@link PlanCoordinator} of one plan decides: opens sessions, installs tables, cleans up.
 *
 * <p>Long because each action of the coordinator is performed here, and an answer of the disk that never comes is
 * thought of for each.
 *
 * <p>Confined to the mailbox, but for {@link #set} and {@link #newDescriptor}, which run on disk threads.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what is scheduled does not fail: it posts events
public final class PlanExecution {
    private static final Logger LOG = LoggerFactory.getLogger(PlanExecution.class);
    /** After so long without an answer of the disk a plan that is over ends without it. */
    static final long HUNG_SECONDS = 2;

    /** How long an install may still take when its plan is cancelled. */
    private static final long CANCEL_GRACE_SECONDS = 4;

    private static final long SCHEMA_PAUSE_NANOS = 500_000_000;

    private final StreamPlan plan;
    private final Resources resources;
    private final int connectionsPerHost;
    private final PlanCoordinator coordinator;
    private final Map<Integer, ReceivingPeer> sessions = new LinkedHashMap<>();
    private final Map<UUID, TableRef> tables = new LinkedHashMap<>();
    private final Map<UUID, Fence> fences;
    private final Map<UUID, Long> schemas = new ConcurrentHashMap<>();
    private final Map<Integer, String> pauses = new HashMap<>();
    private final CompletableFuture<PlanResult> done = new CompletableFuture<>();
    private final Map<UUID, Optional<Instant>> writesAtFirst = new ConcurrentHashMap<>();
    private final Set<UUID> expected = ConcurrentHashMap.newKeySet();
    private boolean isPaused;
    private boolean isAnswered;
    private volatile boolean isCancelled;
    private CompletableFuture<Void> cleaning = CompletableFuture.completedFuture(null);

    private final Map<UUID, StagedSet> sets = new ConcurrentHashMap<>();
    private final InstallCalls installs;

    // Guarded by this.
    private final Map<UUID, Long> bytes = new HashMap<>();

    /**
     * What a plan works with; owned by the node.
     *
     * @param installs for what may wait on the database: a table that goes live slowly must not keep others from
     *     landing
     * @param lanes in which the database is called for one plan, once at a time
     * @param schemaPatience how long a table may be unknown here before it is refused
     * @param finished told of the result of each plan, once, after all else
     */
    public record Resources(
            Node self,
            Dialer dialer,
            DataLinks links,
            ScheduledExecutorService mailbox,
            Executor disk,
            Executor installs,
            Lanes lanes,
            TableStore store,
            StagingArea staging,
            Throttles throttles,
            Traffic traffic,
            Deadlines deadlines,
            RetryPolicy retries,
            Duration schemaPatience,
            Consumer<PlanResult> finished) {}

    public PlanExecution(StreamPlan plan, Resources resources, int connectionsPerHost) {
        this.plan = plan;
        this.resources = resources;
        this.connectionsPerHost = connectionsPerHost;
        this.coordinator = new PlanCoordinator(
                plan, resources.retries(), new SplittableRandom(plan.id().getLeastSignificantBits()));
        plan.requests().forEach(request -> tables.put(request.table().id(), request.table()));
        this.fences = Fence.of(plan);
        this.installs = new InstallCalls(resources.deadlines().install().toNanos(), new InstallSteps());
    }

    /** How this plan performs its installs. */
    private final class InstallSteps implements InstallCalls.Steps {
        @Override
        public void inTurn(Runnable work) {
            PlanExecution.this.inTurn(work);
        }

        @Override
        public void onMailbox(Runnable work) {
            resources.mailbox().execute(work);
        }

        @Override
        public void after(long nanos, Runnable work) {
            PlanExecution.this.after(nanos, work);
        }

        @Override
        public Event install(UUID tableId) {
            return PlanExecution.this.install(tableId);
        }

        @Override
        public void tell(Event event) {
            on(event);
        }

        /** What was committed stays for recovery; what was not goes, unless the plan has still to end. */
        @Override
        public void settle(Event late) {
            LOG.warn("plan {}: the install that did not answer has ended: {}", plan.id(), late);
            if (coordinator.isFinished()) {
                if (late instanceof Event.InstallFailed failed) {
                    resources.disk().execute(() -> drop(new Action.Drop(failed.tableId(), false)));
                }
                resources.disk().execute(PlanExecution.this::endStaging);
            }
        }
    }

    /** Runs what calls the database, when all such before it has ended. */
    private void inTurn(Runnable work) {
        resources.lanes().execute(plan.id(), resources.installs(), work);
    }

    UUID planId() {
        return plan.id();
    }

    Resources resources() {
        return resources;
    }

    /** Opens all sessions. */
    public void start() {
        LOG.info(
                "plan {}: {}, {} requests, {} tables",
                plan.id(),
                plan.operation(),
                plan.requests().size(),
                tables.size());
        on(new Event.Started());
    }

    /** Completes, on a disk thread, when the plan has ended and everything is cleaned up. */
    public CompletableFuture<PlanResult> result() {
        return done;
    }

    /** A sample of each session. */
    public List<SessionProgress> progress() {
        List<SessionProgress> samples = new ArrayList<>();
        sessions.forEach((number, session) -> {
            SessionProgress sample = session.progress();
            String pause = pauses.get(number);
            samples.add(pause == null ? sample : sample.pausing(pause));
        });
        return samples;
    }

    /** Ends the plan; what is committed stays so. */
    public void cancel(String reason) {
        isCancelled = true;
        on(new Event.Cancelled(reason));
        installs.cancel(TimeUnit.SECONDS.toNanos(CANCEL_GRACE_SECONDS), reason);
        after(TimeUnit.SECONDS.toNanos(HUNG_SECONDS), () -> {
            if (!isAnswered) {
                answered(new Event.Refused(new Failure(ErrorCode.CANCELLED, reason)));
            }
        });
    }

    /** Asks for nothing more until it is resumed; repeating it has no further effect. On the mailbox only. */
    public void pause() {
        if (!isPaused) {
            isPaused = true;
            LOG.info("plan {}: paused by hand", plan.id());
            sessions.values().forEach(session -> session.on(new ReceivingSession.Event.Paused()));
        }
    }

    /** Goes on after a pause. On the mailbox only. */
    public void resume() {
        if (isPaused) {
            isPaused = false;
            LOG.info("plan {}: resumed", plan.id());
            sessions.values().forEach(session -> session.on(new ReceivingSession.Event.Resumed()));
        }
    }

    /** Takes one event; on the mailbox only. */
    void on(Event event) {
        coordinator.on(event).forEach(this::perform);
    }

    private void perform(Action action) {
        if (action instanceof Action.Admit) {
            long patience = resources.schemaPatience().toNanos();
            resources.lanes().execute(plan.id(), resources.disk(), () -> admit(System.nanoTime() + patience));
            long most = patience + resources.deadlines().prepare().toNanos();
            after(
                    most,
                    () -> answered(new Event.Refused(new Failure(
                            ErrorCode.TIMEOUT,
                            "the disk of " + resources.self() + " has not answered for "
                                    + TimeUnit.NANOSECONDS.toSeconds(most) + " s; nothing was begun"))));
        } else if (action instanceof Action.Open a) {
            pauses.remove(a.session());
            ReceivingPeer peer = new ReceivingPeer(this, plan.operation(), a, connectionsPerHost);
            sessions.put(a.session(), peer);
            peer.start();
            if (isPaused) {
                peer.on(new ReceivingSession.Event.Paused());
            }
        } else if (action instanceof Action.Tell a) {
            session(a.session()).on(a.event());
        } else if (action instanceof Action.Retry a) {
            LOG.warn(
                    "plan {} session {}: tried again in {} ms: {}",
                    plan.id(),
                    a.session(),
                    a.pause().toMillis(),
                    a.why());
            pauses.put(a.session(), "another attempt in " + a.pause().toMillis() + " ms, after " + a.why());
            after(a.pause().toNanos(), () -> on(new Event.RetryDue(a.session())));
        } else if (action instanceof Action.Unstage a) {
            unstage(a);
        } else if (action instanceof Action.Install a) {
            installs.begin(a.tableId());
        } else if (action instanceof Action.InstallAgain a) {
            LOG.warn(
                    "plan {}: {} is committed, and installed again in {} ms: {}",
                    plan.id(),
                    tables.get(a.tableId()),
                    a.pause().toMillis(),
                    a.why());
            after(a.pause().toNanos(), () -> installs.begin(a.tableId()));
        } else if (action instanceof Action.Drop a) {
            cleaning = cleaning.thenRunAsync(() -> drop(a), resources.disk());
        } else if (action instanceof Action.Finish a) {
            finish(a);
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    private void after(long nanos, Runnable work) {
        resources.mailbox().schedule(work, nanos, TimeUnit.NANOSECONDS);
    }

    private ReceivingPeer session(int number) {
        ReceivingPeer session = sessions.get(number);
        if (session == null) {
            throw new IllegalStateException("plan " + plan.id() + " has no session " + number);
        }
        return session;
    }

    /** Without a lock that is held while a disk is asked: it may hang. */
    private void unstage(Action.Unstage action) {
        StagedSet set = sets.get(action.tableId());
        if (set != null) {
            set.unstage(session(action.session()).id());
        }
    }

    StagedSet set(UUID tableId) throws IOException {
        StagedSet set = sets.get(tableId);
        if (set != null) {
            return set;
        }
        TableRef table = resources
                .store()
                .table(tableId)
                .orElseThrow(() -> new StreamException(
                        ErrorCode.DISCARDED, tables.get(tableId) + " was dropped while it was streamed"));
        return begin(table);
    }

    private synchronized StagedSet begin(TableRef table) throws IOException {
        UUID tableId = table.id();
        StagedSet set = sets.get(tableId);
        if (set == null) {
            set = resources.staging().begin(plan.id(), table, fences.getOrDefault(tableId, Fence.none(tableId)));
            sets.put(tableId, set);
        }
        return set;
    }

    /** Of a table of the plan, as its database has said when the plan was made. */
    long schemaDigest(TableRef table) {
        return schemas.getOrDefault(table.id(), 0L);
    }

    /** Why nobody wants a table any more; empty if it is there. On a disk thread. */
    Optional<Failure> dropped(UUID tableId) {
        return resources.store().table(tableId).isPresent()
                ? Optional.empty()
                : Optional.of(
                        new Failure(ErrorCode.DISCARDED, tables.get(tableId) + " was dropped while it was streamed"));
    }

    Descriptor newDescriptor(TableRef table, SSTableOffer offer) throws IOException {
        // Rows of an SSTable that cannot be written as it was become one of the newest version that can.
        Version version = offer.source().version();
        boolean isRewritten = offer.choice().mode() == TransferMode.ROWS && version.format() != SSTableFormat.BIG;
        return new Descriptor(
                isRewritten ? Version.OA : version, resources.store().newId(table));
    }

    /** Counts the bytes of an SSTable that was staged. */
    synchronized void staged(UUID tableId, long lengthBytes) {
        bytes.merge(tableId, lengthBytes, Long::sum);
    }

    /** Nothing that has landed is removed before {@code done}: somebody may still be at work on it. On the mailbox. */
    void cleanAfter(CompletableFuture<Void> done) {
        cleaning = CompletableFuture.allOf(cleaning, done);
    }

    /** A session is over, and gives the files of all its tables back. */
    synchronized void release(UUID session) {
        sets.values().forEach(set -> set.release(session));
    }

    private Event install(UUID tableId) {
        StagedSet set;
        long length;
        synchronized (this) {
            set = sets.get(tableId);
            length = bytes.getOrDefault(tableId, 0L);
        }
        InstallEvent record = new InstallEvent(String.valueOf(tables.get(tableId)));
        try {
            int count = set == null ? 0 : resources.staging().install(set, UUID.randomUUID());
            endArrivals(tableId);
            record.complete(count, length);
            resources.traffic().installed();
            LOG.info("plan {}: {} is live, {} SSTables, {} bytes", plan.id(), tables.get(tableId), count, length);
            synchronized (this) {
                sets.remove(tableId);
            }
            LiveWrites writes =
                    LiveWrites.between(writesAtFirst.getOrDefault(tableId, Optional.empty()), writes(tableId));
            if (writes.kind() == LiveWrites.Kind.GAP) {
                LOG.warn("plan {}: {}: {}", plan.id(), tables.get(tableId), writes);
            }
            return new Event.Installed(tableId, count, length, writes);
        } catch (IOException | RuntimeException e) {
            LOG.error("plan {}: installing {}: {}", plan.id(), tables.get(tableId), e.getMessage(), e);
            record.fail(String.valueOf(e.getMessage()));
            boolean isCommitted = set != null && resources.staging().isCommitted(set);
            return new Event.InstallFailed(tableId, Failure.of(e), isCommitted);
        }
    }

    /** A database that fails here does not say: what is live is live all the same, and the result tells of a gap. */
    private Optional<Instant> writes(UUID tableId) {
        TableRef table = tables.get(tableId);
        Fence wanted = fences.get(tableId);
        try {
            return table == null || wanted == null
                    ? Optional.empty()
                    : resources.store().writesSince(table, wanted.ranges());
        } catch (RuntimeException e) {
            LOG.error("plan {}: the database failed when it was asked since when it has all writes", plan.id(), e);
            return Optional.empty();
        }
    }

    private void drop(Action.Drop action) {
        StagedSet set;
        synchronized (this) {
            set = sets.remove(action.tableId());
        }
        if (set == null) {
            return;
        }
        try {
            if (action.isKept()) {
                resources.staging().abandon(set);
            } else {
                resources.staging().discard(set);
            }
        } catch (IOException e) {
            LOG.warn("plan {}: removing staged files of {}: {}", plan.id(), set.table(), e.getMessage());
        }
    }

    /**
     * On a disk thread: whether this node will have the plan, and what its database says of the tables. One that is not
     * known here may be on its way, with a change of the schema: it is looked for again until {@code deadlineNanos}.
     */
    private void admit(long deadlineNanos) {
        try {
            Map<UUID, Failure> unknown = new HashMap<>();
            for (TableRef table : tables.values()) {
                if (resources.store().table(table.id()).isEmpty()) {
                    unknown.put(table.id(), unknown(table));
                }
            }
            if (!unknown.isEmpty() && !isCancelled && System.nanoTime() < deadlineNanos) {
                LOG.info("plan {}: waiting for the schema of {}", plan.id(), unknown.values());
                after(
                        SCHEMA_PAUSE_NANOS,
                        () -> resources.lanes().execute(plan.id(), resources.disk(), () -> admit(deadlineNanos)));
                return;
            }
            for (TableRef table : tables.values()) {
                if (!unknown.containsKey(table.id())) {
                    schemas.put(table.id(), resources.store().schemaDigest(table));
                    writesAtFirst.put(table.id(), writes(table.id()));
                }
            }
            resources.staging().admit(List.copyOf(fences.values()));
            for (TableRef table : tables.values()) {
                Fence wanted = fences.get(table.id());
                if (wanted != null && !unknown.containsKey(table.id())) {
                    expected.add(table.id());
                    resources.store().expectArrivals(plan.id(), table, wanted.ranges());
                }
            }
            answer(new Event.Admitted(unknown));
        } catch (IOException | RuntimeException e) {
            LOG.warn("plan {}: not admitted: {}", plan.id(), e.getMessage(), e);
            answer(new Event.Refused(Failure.of(e)));
        }
    }

    private void answer(Event event) {
        resources.mailbox().execute(() -> answered(event));
    }

    /** Only the first answer counts: one of a disk that was given up comes too late. */
    private void answered(Event event) {
        if (!isAnswered) {
            isAnswered = true;
            on(event);
        } else if (done.isDone()) {
            inTurn(() -> tables.keySet().forEach(this::endArrivals));
        }
    }

    private Failure unknown(TableRef table) {
        return new Failure(
                ErrorCode.UNKNOWN_TABLE,
                "table " + table + " is not known at " + resources.self() + ", also not after "
                        + resources.schemaPatience().toSeconds() + " s (does it have the schema of the cluster?)");
    }

    private void endArrivals(UUID tableId) {
        TableRef table = tables.get(tableId);
        if (table != null && expected.remove(tableId)) {
            try {
                resources.store().endArrivals(plan.id(), table);
            } catch (
                    RuntimeException
                            e) { // no reason to call what is live a failure, or to leave the plan without an end
                LOG.error("plan {}: the database failed when it was told that {} is over", plan.id(), table, e);
            }
        }
    }

    private void finish(Action.Finish action) {
        pauses.clear();
        PlanResult result = new PlanResult(plan.id(), action.tables(), action.ranges(), progress());
        CompletableFuture<Void> cleaned = cleaning.thenRunAsync(this::endStaging, resources.disk());
        String end = action.failure().map(why -> "failed: " + why).orElse("complete");
        AtomicBoolean isTold = new AtomicBoolean();
        Runnable told = () -> {
            if (isTold.compareAndSet(false, true)) {
                tables.keySet().forEach(this::endArrivals);
                LOG.info("plan {}: {}", plan.id(), end);
                tell(result);
                done.complete(result);
            }
        };
        cleaned.whenComplete((nothing, defect) -> {
            if (defect != null) {
                LOG.error("plan {}: what it has left in staging stays until the node starts again", plan.id(), defect);
            }
            inTurn(told);
        });
        after(TimeUnit.SECONDS.toNanos(HUNG_SECONDS), () -> {
            if (!cleaned.isDone()) {
                LOG.warn(
                        "plan {}: over, but the disk has not answered for {} s (busy?): what has landed is removed"
                                + " when it does",
                        plan.id(),
                        HUNG_SECONDS);
                inTurn(told); // not by a thread that the disk may hold
            }
        });
        after(TimeUnit.SECONDS.toNanos(2 * HUNG_SECONDS), () -> {
            if (!done.isDone()) {
                LOG.error(
                        "plan {}: over, but a call of the database, or an install, does not end: it is told of the"
                                + " result after that",
                        plan.id());
                done.completeAsync(() -> result, resources.disk());
            }
        });
    }

    private void endStaging() {
        try {
            resources.staging().end(plan.id());
        } catch (IOException e) {
            LOG.warn("plan {}: removing its staging directory: {}", plan.id(), e.getMessage());
        }
    }

    /** A database that throws here has been told all the same. */
    private void tell(PlanResult result) {
        try {
            resources.finished().accept(result);
        } catch (RuntimeException e) {
            LOG.error("plan {}: the database failed when it was told of the result", plan.id(), e);
        }
    }
}
