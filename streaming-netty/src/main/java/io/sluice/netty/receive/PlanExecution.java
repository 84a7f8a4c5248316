package io.sluice.netty.receive;

import io.sluice.netty.metrics.InstallEvent;
import io.sluice.netty.metrics.Traffic;
import io.sluice.netty.transport.Dialer;
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
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Deadlines;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.PlanCoordinator.Action;
import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.session.RetryPolicy;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.throttle.Throttles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs what the {@link PlanCoordinator} of one plan decides: opens sessions, installs tables, cleans up.
 *
 * <p>Confined to the mailbox, but for {@link #set} and {@link #newDescriptor}, which run on disk threads.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what is scheduled does not fail: it posts events
public final class PlanExecution {
    private static final Logger LOG = LoggerFactory.getLogger(PlanExecution.class);

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
    private CompletableFuture<Void> cleaning = CompletableFuture.completedFuture(null);

    // Guarded by this.
    private final Map<UUID, StagedSet> sets = new HashMap<>();
    private final Map<UUID, Long> bytes = new HashMap<>();

    /** What a plan works with; owned by the node. */
    public record Resources(
            Node self,
            Dialer dialer,
            DataLinks links,
            ScheduledExecutorService mailbox,
            Executor disk,
            TableStore store,
            StagingArea staging,
            Throttles throttles,
            Traffic traffic,
            Deadlines deadlines,
            RetryPolicy retries) {}

    public PlanExecution(StreamPlan plan, Resources resources, int connectionsPerHost) {
        this.plan = plan;
        this.resources = resources;
        this.connectionsPerHost = connectionsPerHost;
        this.coordinator = new PlanCoordinator(
                plan, resources.retries(), new SplittableRandom(plan.id().getLeastSignificantBits()));
        plan.requests().forEach(request -> tables.put(request.table().id(), request.table()));
        this.fences = Fence.of(plan);
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
        on(new Event.Cancelled(reason));
    }

    /** Takes one event; on the mailbox only. */
    void on(Event event) {
        coordinator.on(event).forEach(this::perform);
    }

    private void post(Event event) {
        resources.mailbox().execute(() -> on(event));
    }

    private void perform(Action action) {
        if (action instanceof Action.Admit) {
            resources.disk().execute(() -> post(admit()));
        } else if (action instanceof Action.Open a) {
            pauses.remove(a.session());
            ReceivingPeer peer = new ReceivingPeer(this, plan.operation(), a, connectionsPerHost);
            sessions.put(a.session(), peer);
            peer.start();
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
            resources
                    .mailbox()
                    .schedule(
                            () -> on(new Event.RetryDue(a.session())), a.pause().toNanos(), TimeUnit.NANOSECONDS);
        } else if (action instanceof Action.Unstage a) {
            unstage(a);
        } else if (action instanceof Action.Install a) {
            resources.disk().execute(() -> post(install(a.tableId())));
        } else if (action instanceof Action.Drop a) {
            cleaning = cleaning.thenRunAsync(() -> drop(a), resources.disk());
        } else if (action instanceof Action.Finish a) {
            finish(a);
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    private ReceivingPeer session(int number) {
        ReceivingPeer session = sessions.get(number);
        if (session == null) {
            throw new IllegalStateException("plan " + plan.id() + " has no session " + number);
        }
        return session;
    }

    private synchronized void unstage(Action.Unstage action) {
        StagedSet set = sets.get(action.tableId());
        if (set != null) {
            set.unstage(session(action.session()).id());
        }
    }

    synchronized StagedSet set(UUID tableId) throws IOException {
        StagedSet set = sets.get(tableId);
        if (set == null) {
            TableRef table = resources
                    .store()
                    .table(tableId)
                    .orElseThrow(() -> new StreamException(
                            ErrorCode.UNKNOWN_TABLE, "table " + tables.get(tableId) + " is not known here any more"));
            set = resources.staging().begin(plan.id(), table, fences.getOrDefault(tableId, Fence.none(tableId)));
            sets.put(tableId, set);
        }
        return set;
    }

    /** Of a table of the plan, as its database has said when the plan was made. */
    long schemaDigest(TableRef table) {
        return schemas.getOrDefault(table.id(), 0L);
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
            record.complete(count, length);
            resources.traffic().installed();
            LOG.info("plan {}: {} is live, {} SSTables, {} bytes", plan.id(), tables.get(tableId), count, length);
            synchronized (this) {
                sets.remove(tableId);
            }
            return new Event.Installed(tableId, count, length);
        } catch (IOException | RuntimeException e) {
            LOG.error("plan {}: installing {}: {}", plan.id(), tables.get(tableId), e.getMessage(), e);
            Failure why = Failure.of(e);
            boolean isCommitted = set != null && resources.staging().isCommitted(set);
            return new Event.InstallFailed(
                    tableId,
                    isCommitted
                            ? new Failure(
                                    why.code(),
                                    why.reason() + "; it is committed, and goes live when this node starts again")
                            : why);
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

    /** On a disk thread: whether this node will have the plan, and what its database says of the tables. */
    private Event admit() {
        try {
            for (TableRef table : tables.values()) {
                schemas.put(table.id(), resources.store().schemaDigest(table));
            }
            resources.staging().admit(List.copyOf(fences.values()));
            return new Event.Admitted();
        } catch (IOException | RuntimeException e) {
            LOG.warn("plan {}: not admitted: {}", plan.id(), e.getMessage(), e);
            return new Event.Refused(Failure.of(e));
        }
    }

    private void finish(Action.Finish action) {
        pauses.clear();
        PlanResult result = new PlanResult(plan.id(), action.tables(), action.ranges(), progress());
        cleaning.thenRunAsync(
                () -> {
                    try {
                        resources.staging().end(plan.id());
                    } catch (IOException e) {
                        LOG.warn("plan {}: removing its staging directory: {}", plan.id(), e.getMessage());
                    }
                    String end = action.failure().map(why -> "failed: " + why).orElse("complete");
                    LOG.info("plan {}: {}", plan.id(), end);
                    done.complete(result);
                },
                resources.disk());
    }
}
