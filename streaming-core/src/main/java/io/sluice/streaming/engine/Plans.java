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
import java.util.function.Function;
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
    /** The running plans, and the latest that have ended. */
    private final Map<UUID, Known> plans = new ConcurrentHashMap<>();
    /** Those that are running: whoever looks through them does not look through all that have ended, too. */
    private final Map<UUID, Running> running = new ConcurrentHashMap<>();
    /** The ids of the plans, the oldest first; guarded by {@code plans}. */
    private final Queue<UUID> latest = new ArrayDeque<>();
    /** Whether the node closes; guarded by {@code plans}. */
    private boolean isOver;

    /** Starts without running plans. */
    Plans(CompletePlans complete, ReceivingContext receiving) {
        this.complete = complete;
        this.receiving = receiving;
        this.node = receiving.node();
    }

    private record Known(StreamPlan asked, CompletableFuture<PlanResult> result) {}

    private record Running(StreamPlan asked, PlanExecution execution) {
        /** A request of {@code other} that overlaps this plan. */
        Optional<StreamRequest> overlap(StreamPlan other) {
            boolean isReplaced = asked.epoch() > 0 && asked.epoch() < other.epoch(); // the newer epoch fences this plan
            return isReplaced
                    ? Optional.empty()
                    : other.requests().stream().filter(this::isFetching).findFirst();
        }

        private boolean isFetching(StreamRequest request) {
            return asked.requests().stream()
                    .anyMatch(own -> own.table().id().equals(request.table().id())
                            && !own.ranges().intersection(request.ranges()).isEmpty());
        }
    }

    /**
     * Executes a plan, unless it was executed before, or fetches what another one is fetching: then it is refused, and
     * may be executed later.
     *
     * @throws IllegalStateException after {@link #cancelAll}
     */
    CompletableFuture<PlanResult> execute(StreamPlan plan) {
        synchronized (plans) {
            if (isOver) {
                throw new IllegalStateException("this node is closed");
            }
            Known known = plans.get(plan.id());
            if (known == null) {
                Optional<PlanResult> before = complete.result(plan);
                if (before.isPresent()) {
                    return CompletableFuture.completedFuture(before.get());
                }
                Optional<PlanResult> refused = busy(plan);
                if (refused.isPresent()) {
                    return CompletableFuture.completedFuture(refused.get());
                }
                known = begin(plan);
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
            if (running.containsKey(oldest)) {
                latest.add(oldest);
            } else {
                plans.remove(oldest);
            }
        }
    }

    private Optional<PlanResult> busy(StreamPlan plan) {
        for (Running other : running.values()) {
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
                return Optional.of(refused);
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

    private Known begin(StreamPlan plan) {
        PlanExecution execution = new PlanExecution(plan, receiving);
        running.put(plan.id(), new Running(plan, execution));
        CompletableFuture<PlanResult> result = execution.result().whenComplete((ended, failure) -> {
            running.remove(plan.id());
            if (failure != null) {
                forget(plan.id());
            } else if (ended.isComplete()) {
                Runnable keep = LogKeys.of(plan.id()).around(() -> keep(plan, ended));
                node.environment().disk().execute(keep); // no one waits for it: the disk may hang
            }
        });
        try {
            node.onLoop(execution::start);
        } catch (RuntimeException closed) {
            running.remove(plan.id());
            throw closed;
        }
        return new Known(plan, result);
    }

    /** A plan without a result may be executed again. */
    private void forget(UUID planId) {
        synchronized (plans) {
            plans.remove(planId);
            latest.remove(planId);
        }
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
        Known known = plans.get(planId); // first: a plan is running before it is known
        return known == null
                ? CompletableFuture.completedFuture(List.of())
                : ofRunning(planId, PlanExecution::progress)
                        .orElseGet(() -> known.result().thenApply(PlanResult::sessions));
    }

    /** How much a running plan has received of each table; empty if it does not run. */
    CompletableFuture<List<TableProgress>> receivedTables(UUID planId) {
        return ofRunning(planId, PlanExecution::receivedTables)
                .orElseGet(() -> CompletableFuture.completedFuture(List.of()));
    }

    /** Asks a running plan on the loop; empty if it does not run. */
    private <T> Optional<CompletableFuture<T>> ofRunning(UUID planId, Function<PlanExecution, T> question) {
        return Optional.ofNullable(running.get(planId)).map(plan -> node.ask(() -> question.apply(plan.execution())));
    }

    /** A sample of each running plan. On the loop. */
    List<StreamActivity.Receiving> receiving() {
        List<StreamActivity.Receiving> samples = new ArrayList<>();
        running.forEach((id, plan) -> samples.add(new StreamActivity.Receiving(
                id, plan.execution().priority(), plan.execution().progress())));
        return samples;
    }

    /** Adds what each session of the running plans waits for. On the loop. */
    void addWaits(Map<StreamActivity.Session, StreamActivity.Wait> waits) {
        running.values().forEach(plan -> plan.execution().addWaits(waits));
    }

    /** Runs an order on a plan if it is running. */
    void order(UUID planId, Consumer<PlanExecution> order) {
        Optional.ofNullable(running.get(planId)).ifPresent(plan -> node.onLoop(() -> order.accept(plan.execution())));
    }

    /** Cancels all running plans because the node closes, and begins no other; completes when they have ended. */
    CompletableFuture<Void> cancelAll(String reason) {
        List<CompletableFuture<PlanResult>> ending;
        synchronized (plans) {
            isOver = true;
            ending = plans.values().stream().map(Known::result).toList();
        }
        List.copyOf(running.keySet()).forEach(planId -> order(planId, plan -> plan.close(reason)));
        return CompletableFuture.allOf(ending.toArray(CompletableFuture[]::new));
    }

    /** Completes the results of plans that have not ended although they are cancelled; does not wait. */
    void abandonAll(String reason) {
        List.copyOf(running.keySet()).forEach(planId -> order(planId, plan -> plan.abandon(reason)));
    }
}
