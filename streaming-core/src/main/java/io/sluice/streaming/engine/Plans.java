package io.sluice.streaming.engine;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.engine.receive.PlanExecution;
import io.sluice.streaming.engine.receive.ReceivingContext;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.install.CompletePlans;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.runtime.NodeContext;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The plans that a node executes and has executed: each once, and none that overlaps a running plan. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // notifications of an end do not fail
final class Plans {
    private static final Logger LOG = LoggerFactory.getLogger(Plans.class);
    /** Plans kept in memory; more only if more are running. */
    private static final int MOST_PLANS = 1_000;

    private final CompletePlans complete;
    private final ReceivingContext receiving;
    private final NodeContext node;
    private final Map<UUID, Running> plans = new ConcurrentHashMap<>();
    /** The ids of the plans, the oldest first; guarded by {@code plans}. */
    private final Queue<UUID> latest = new ArrayDeque<>();

    /** Starts without running plans. */
    Plans(CompletePlans complete, ReceivingContext receiving) {
        this.complete = complete;
        this.receiving = receiving;
        this.node = receiving.node();
    }

    /** @param plan empty when the plan has ended: only the result is kept */
    private record Running(StreamPlan asked, Optional<PlanExecution> plan, CompletableFuture<PlanResult> result) {
        /** A request of {@code other} that overlaps this plan while it is running. */
        Optional<StreamRequest> overlap(StreamPlan other) {
            boolean isReplaced = asked.epoch() > 0 && asked.epoch() < other.epoch(); // the newer epoch fences this plan
            return result.isDone() || isReplaced
                    ? Optional.empty()
                    : other.requests().stream().filter(this::isFetching).findFirst();
        }

        private boolean isFetching(StreamRequest request) {
            return asked.requests().stream()
                    .anyMatch(own -> own.table().id().equals(request.table().id())
                            && !own.ranges().intersection(request.ranges()).isEmpty());
        }
    }

    /** Executes a plan, unless it was executed before, or fetches what another one is fetching. */
    CompletableFuture<PlanResult> execute(StreamPlan plan) {
        synchronized (plans) {
            Running known = plans.get(plan.id());
            if (known == null) {
                Optional<PlanResult> before = complete.result(plan);
                if (before.isPresent()) {
                    return CompletableFuture.completedFuture(before.get());
                }
                known = busy(plan).orElseGet(() -> begin(plan));
                plans.put(plan.id(), known);
                forgetOldest(plan.id());
            } else if (!known.asked().equals(plan)) {
                throw new IllegalArgumentException(
                        "plan " + plan.id() + " has the id of another plan (expected: a new id)");
            }
            return known.result().copy();
        }
    }

    /** Forgets the oldest plans that have ended. Under the lock of the plans. */
    private void forgetOldest(UUID newest) {
        latest.add(newest);
        for (int i = latest.size(); i > MOST_PLANS; i--) {
            UUID oldest = latest.remove();
            Running running = plans.get(oldest);
            if (running != null && !running.result().isDone()) {
                latest.add(oldest);
            } else {
                plans.remove(oldest);
            }
        }
    }

    private Optional<Running> busy(StreamPlan plan) {
        for (Running other : plans.values()) {
            Optional<StreamRequest> overlap = other.overlap(plan);
            if (overlap.isPresent()) {
                PlanResult.Failure why = new PlanResult.Failure(
                        ErrorCode.BUSY,
                        Optional.empty(),
                        "plan " + other.asked().id() + " fetches ranges of "
                                + overlap.get().table() + " that this plan requests, too; wait for it, or cancel it",
                        node.now());
                PlanResult refused = PlanResult.refused(plan.id(), plan.requests(), why);
                node.traffic().plans().begin(node.nanoTime()).end(Optional.of(why.code()), node.nanoTime());
                LogKeys.of(plan.id()).run(() -> {
                    LOG.warn("plan {}: refused: {}", plan.id(), why);
                    node.access().audit().record(new AuditEvent.PlanEnded(plan.id(), 0, why.toString()));
                    node.environment().disk().execute(() -> notifyRefused(refused));
                });
                return Optional.of(new Running(plan, Optional.empty(), CompletableFuture.completedFuture(refused)));
            }
        }
        return Optional.empty();
    }

    /** Notifies the database; an exception is only logged. */
    private void notifyRefused(PlanResult refused) {
        VirtualMachineErrors fatal = new VirtualMachineErrors();
        try {
            receiving.finished().accept(refused);
        } catch (RuntimeException e) {
            fatal.note(e);
            LOG.error("plan {}: the database failed in the notification of the result", refused.planId(), e);
        }
        fatal.handOn();
    }

    private Running begin(StreamPlan plan) {
        PlanExecution execution = new PlanExecution(plan, receiving);
        CompletableFuture<PlanResult> result = execution.result().whenComplete((ended, failure) -> {
            plans.computeIfPresent(plan.id(), (id, running) -> new Running(plan, Optional.empty(), running.result()));
            if (failure == null && ended.isComplete()) {
                Runnable keep = LogKeys.of(plan.id()).around(() -> keep(plan, ended));
                node.environment().disk().execute(keep); // no one waits for it: the disk may hang
            }
        });
        node.onLoop(execution::start);
        return new Running(plan, Optional.of(execution), result);
    }

    private void keep(StreamPlan plan, PlanResult result) {
        try {
            complete.add(plan, result);
        } catch (IOException e) {
            LOG.warn(
                    "plan {}: cannot record that the plan is complete; it is forgotten after a restart: {}",
                    plan.id(),
                    e.toString());
        }
    }

    /** A sample of each session of a plan; empty if the plan is unknown. */
    CompletableFuture<List<SessionProgress>> progress(UUID planId) {
        Running running = plans.get(planId);
        if (running == null) {
            return CompletableFuture.completedFuture(List.of());
        }
        return running.plan()
                .map(plan -> CompletableFuture.supplyAsync(
                        plan::progress, node.environment().loop()))
                .orElseGet(() -> running.result().thenApply(PlanResult::sessions));
    }

    /** How much a running plan has received of each table; empty if it does not run. */
    CompletableFuture<List<TableProgress>> receivedTables(UUID planId) {
        return Optional.ofNullable(plans.get(planId))
                .flatMap(Running::plan)
                .map(plan -> CompletableFuture.supplyAsync(
                        plan::receivedTables, node.environment().loop()))
                .orElseGet(() -> CompletableFuture.completedFuture(List.of()));
    }

    /** A sample of each running plan. On the loop. */
    List<StreamActivity.Receiving> receiving() {
        List<StreamActivity.Receiving> samples = new ArrayList<>();
        plans.forEach((id, running) -> running.plan()
                .ifPresent(plan -> samples.add(new StreamActivity.Receiving(id, plan.priority(), plan.progress()))));
        return samples;
    }

    /** Adds what each session of the running plans waits for. On the loop. */
    void addWaits(Map<StreamActivity.Session, StreamActivity.Wait> waits) {
        plans.values().forEach(running -> running.plan().ifPresent(plan -> plan.addWaits(waits)));
    }

    /** Runs an order on a plan if it is running. */
    void order(UUID planId, Consumer<PlanExecution> order) {
        Running running = plans.get(planId);
        if (running != null) {
            node.onLoop(() -> running.plan().ifPresent(order));
        }
    }

    /** Cancels all running plans; completes when they have ended. */
    CompletableFuture<Void> cancelAll(String reason) {
        List<CompletableFuture<PlanResult>> ending =
                plans.values().stream().map(Running::result).toList();
        List.copyOf(plans.keySet()).forEach(planId -> order(planId, plan -> plan.cancel(reason)));
        return CompletableFuture.allOf(ending.toArray(CompletableFuture[]::new));
    }
}
