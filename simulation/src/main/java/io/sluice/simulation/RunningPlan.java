package io.sluice.simulation;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Fence;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.PlanCoordinator.Action;
import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.RetryPolicy;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Performs what a {@link PlanCoordinator} decides, in the simulation; begun anew when its process has died. */
final class RunningPlan {
    private static final int INSTALL_OPERATIONS = 60;
    /** A pause before an attempt is short, and a plan that is cancelled in it is seldom drawn by chance alone. */
    private static final int CANCELS_IN_A_PAUSE = 20;

    /** Longer than any deadline. */
    private static final long PAUSE_NANOS = 400_000_000_000L;

    private static final long DISK_NANOS = 50_000_000;
    private static final long CANCEL_NANOS = 5_000_000_000L;

    final ReceivingNode node;
    final StreamPlan plan;
    private final World world;
    private final Map<Integer, ReceiverSession> sessions = new HashMap<>();
    private final Map<UUID, StagedSet> sets = new HashMap<>();
    private final Map<UUID, Long> schemas = new HashMap<>();
    private @Nullable PlanCoordinator coordinator;
    private Optional<PlanResult> result = Optional.empty();
    private boolean isCleaned;
    private boolean isPaused;
    private long cancelledNanos;
    private int installing;
    private boolean isBusy;

    RunningPlan(ReceivingNode node, StreamPlan plan) {
        this.node = node;
        this.plan = plan;
        this.world = node.world;
    }

    Optional<PlanResult> result() {
        return result;
    }

    /** Whether it has ended, and nothing of it is at work any more. */
    boolean isOver() {
        return result.isPresent() && isCleaned;
    }

    void begin() {
        if (result.isPresent()) {
            return;
        }
        world.note(node.name, "executes plan " + plan.id() + ": " + plan.requests());
        coordinator = new PlanCoordinator(plan, RetryPolicy.DEFAULTS, world.random);
        on(new Event.Started());
    }

    void die() {
        sessions.clear();
        sets.clear();
        coordinator = null;
        isPaused = false;
        cancelledNanos = 0;
        installing = 0;
        isCleaned = result.isPresent();
    }

    void cancel() {
        if (coordinator != null && result.isEmpty()) {
            world.note(node.name, "cancels plan " + plan.id());
            cancelledNanos = world.scheduler.nowNanos();
            on(new Event.Cancelled("injected"));
        }
    }

    /** Whoever cancels waits for nobody: but for an install that has begun, and calls that the disk does not answer. */
    void checkCancelled() {
        if (cancelledNanos == 0 || result.isPresent()) {
            return;
        }
        long nowNanos = world.scheduler.nowNanos();
        boolean wasBusy = isBusy;
        isBusy = installing > 0 || sessions.values().stream().anyMatch(ReceiverSession::isHanging);
        if (wasBusy || isBusy) {
            cancelledNanos = nowNanos;
        } else if (nowNanos - cancelledNanos > CANCEL_NANOS) {
            throw new Violation(node.name + ": plan " + plan.id() + " was cancelled, and has not ended "
                    + CANCEL_NANOS / 1e9 + " s later");
        }
    }

    /** No more is fetched until somebody resumes it, some time later. */
    void pause() {
        if (coordinator != null && !isPaused) {
            world.note(node.name, "pauses plan " + plan.id());
            isPaused = true;
            sessions.values().forEach(session -> session.on(new ReceivingSession.Event.Paused()));
            later(world.random.nextLong(PAUSE_NANOS), this::resume);
        }
    }

    void resume() {
        if (isPaused && !world.is(Mutant.FORGET_RESUME)) {
            world.note(node.name, "resumes plan " + plan.id());
            isPaused = false;
            sessions.values().forEach(session -> session.on(new ReceivingSession.Event.Resumed()));
        }
    }

    void on(Event event) {
        if (coordinator != null) {
            coordinator.on(event).forEach(this::perform);
        }
    }

    private void later(long nanos, Runnable work) {
        world.scheduler.after(nanos, node.alive(), work);
    }

    private void perform(Action action) {
        if (action instanceof Action.Admit) {
            later(world.random.nextLong(DISK_NANOS), () -> node.work(this::admit));
        } else if (action instanceof Action.Open a) {
            ReceiverSession session = new ReceiverSession(this, a);
            sessions.put(a.session(), session);
            session.start();
            if (isPaused) {
                session.on(new ReceivingSession.Event.Paused());
            }
        } else if (action instanceof Action.Tell a) {
            ReceiverSession session = sessions.get(a.session());
            if (session != null) {
                session.on(a.event());
            }
        } else if (action instanceof Action.Retry a) {
            if (!world.is(Mutant.NO_RETRY)) {
                later(a.pause().toNanos(), () -> on(new Event.RetryDue(a.session())));
                if (world.happens(world.faults.of(Faults.Kind.CANCEL) * CANCELS_IN_A_PAUSE)) {
                    later(world.random.nextLong(a.pause().toNanos()), this::cancel);
                }
            }
        } else if (action instanceof Action.Unstage a) {
            StagedSet set = sets.get(a.tableId());
            ReceiverSession session = sessions.get(a.session());
            if (set != null && session != null && !world.is(Mutant.IGNORE_UNSTAGE)) {
                set.unstage(session.id());
            }
        } else if (action instanceof Action.Install a) {
            begin(a.tableId(), 0);
        } else if (action instanceof Action.InstallAgain a) {
            begin(a.tableId(), a.pause().toNanos());
        } else if (action instanceof Action.Drop a) {
            later(world.random.nextLong(DISK_NANOS), () -> node.work(() -> drop(a)));
        } else if (action instanceof Action.Finish a) {
            finish(a);
        }
    }

    private void admit() {
        try {
            List<Fence> fences = List.copyOf(Fence.of(plan).values());
            if (!world.is(Mutant.SKIP_FENCE)) {
                node.staging().admit(fences);
            }
            world.promises.admitted(node, plan.id(), fences);
            Map<UUID, Failure> unknown = new LinkedHashMap<>();
            for (StreamRequest request : plan.requests()) {
                TableRef table = request.table();
                if (node.store.table(table.id()).isEmpty()) {
                    unknown.put(table.id(), new Failure(ErrorCode.UNKNOWN_TABLE, table + " is not known here"));
                } else {
                    schemas.put(table.id(), node.store.schemaDigest(table));
                    node.store.expectArrivals(plan.id(), table, request.ranges());
                }
            }
            on(new Event.Admitted(unknown));
        } catch (IOException | StreamException e) {
            world.note(node.name, "plan " + plan.id() + " is not admitted: " + e.getMessage());
            on(new Event.Refused(Failure.of(e)));
        }
    }

    StagedSet set(TableRef table) throws IOException {
        StagedSet set = sets.get(table.id());
        if (set == null) {
            Fence fence = Fence.of(plan).getOrDefault(table.id(), Fence.none(table.id()));
            node.staging().requireTable(table);
            set = node.staging().begin(plan.id(), table, fence);
            sets.put(table.id(), set);
        }
        return set;
    }

    /** What the schema of a table was when the plan was admitted. */
    long schema(UUID tableId) {
        return schemas.getOrDefault(tableId, 0L);
    }

    TableRef table(UUID tableId) {
        return world.tables.stream()
                .filter(table -> table.id().equals(tableId))
                .findFirst()
                .orElseThrow();
    }

    void release(UUID session) {
        sets.values().forEach(set -> set.release(session));
    }

    /** The disk, or the database, may take longer than the plan waits for it. */
    private void begin(UUID tableId, long pauseNanos) {
        boolean hangs = world.happens(world.faults.of(Faults.Kind.DISK_HANGS));
        boolean[] isOver = new boolean[1];
        installing++;
        later(
                pauseNanos + world.random.nextLong(hangs ? ReceiverSession.HANG_NANOS : DISK_NANOS),
                () -> node.work(() -> {
                    isOver[0] = true;
                    installing--;
                    install(tableId);
                }));
        later(pauseNanos + Simulation.DEADLINES.install().toNanos(), () -> {
            if (!isOver[0]) {
                world.note(node.name, "install of " + table(tableId).name() + " does not answer");
                on(new Event.InstallOverdue(tableId, new Failure(ErrorCode.TIMEOUT, "its install has not answered")));
            }
        });
    }

    private void install(UUID tableId) {
        // The few operations around the commit point are where a crash is worst, and where chance seldom puts one.
        if (world.happens(world.faults.of(Faults.Kind.RECEIVER_DIES))) {
            node.disk.crashAfter(1 + world.random.nextInt(INSTALL_OPERATIONS));
        }
        StagedSet set = sets.get(tableId);
        try {
            UUID installId = world.newUuid();
            int sstables = set == null ? 0 : node.staging().install(set, installId);
            if (world.is(Mutant.TELL_TWICE)) {
                node.store.goLive(installId, table(tableId), List.of());
            }
            sets.remove(tableId);
            on(new Event.Installed(tableId, sstables, 0));
        } catch (IOException | StreamException | AssertionError e) {
            world.note(node.name, "install of " + table(tableId).name() + " fails: " + e.getMessage());
            if (world.is(Mutant.LIE_ABOUT_INSTALL)) {
                on(new Event.Installed(tableId, 0, 0));
            } else {
                on(new Event.InstallFailed(
                        tableId, Failure.of(e), set != null && node.staging().isCommitted(set)));
            }
            if (result.isPresent()) { // nobody waits for it any more
                drop(new Action.Drop(tableId, false));
            }
        }
        if (result.isPresent()) {
            end();
        }
    }

    private void drop(Action.Drop action) {
        StagedSet set = sets.remove(action.tableId());
        if (set == null) {
            return;
        }
        try {
            if (action.isKept()) {
                node.staging().abandon(set);
            } else {
                node.staging().discard(set);
            }
        } catch (IOException e) {
            world.note(node.name, "cleaning " + set.table() + " fails: " + e.getMessage());
        }
    }

    private void finish(Action.Finish action) {
        if (result.isPresent()) {
            throw new Violation(node.name + ": plan " + plan.id() + " has ended twice");
        }
        PlanResult ended = new PlanResult(plan.id(), action.tables(), action.ranges(), List.of());
        result = Optional.of(ended);
        world.note(
                node.name,
                "plan " + plan.id() + (ended.isComplete() ? " is complete" : " has failed: " + action.failure()));
        world.oracle.ended(this, ended);
        later(
                DISK_NANOS * 2,
                () -> node.work(() -> {
                    end();
                    isCleaned = true;
                }));
    }

    private void end() {
        try {
            node.staging().end(plan.id());
        } catch (IOException e) {
            world.note(node.name, "removing the folder of the plan fails: " + e.getMessage());
        }
    }
}
