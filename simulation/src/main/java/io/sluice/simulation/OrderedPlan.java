package io.sluice.simulation;

import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A plan to execute: submitted again after each crash of its process, until it has ended. */
@SuppressWarnings("FutureReturnValueIgnored") // the world records what it throws
final class OrderedPlan {
    /** A pause between attempts is short, so chance alone would seldom cancel a plan in one. */
    private static final int CANCELS_IN_A_PAUSE = 20;

    /** Longer than any deadline. */
    private static final long PAUSE_NANOS = 400_000_000_000L;

    /** The longest that a cancelled plan may take, if disk and database answer. */
    private static final long CANCEL_NANOS = 5_000_000_000L;

    final SimulatedNode node;
    final ReceivingDatabase receiver;
    final StreamPlan plan;
    private final World world;
    private @Nullable Engine engine;
    private Optional<PlanResult> result = Optional.empty();
    private boolean isPaused;
    private long cancelledNanos;

    OrderedPlan(SimulatedNode node, ReceivingDatabase receiver, StreamPlan plan) {
        this.node = node;
        this.receiver = receiver;
        this.plan = plan;
        this.world = node.world;
    }

    Optional<PlanResult> result() {
        return result;
    }

    /** Submits the plan to a process that has just started, or that runs already. */
    void begin(Engine started, Life life) {
        if (result.isPresent()) {
            return;
        }
        world.note(node.name, "executes plan " + plan.id() + ": " + plan.requests());
        engine = started;
        started.execute(plan).thenAccept(ended -> {
            if (!life.isOver() && result.isEmpty()) {
                ended(ended);
            }
        });
    }

    private void ended(PlanResult ended) {
        result = Optional.of(ended);
        world.note(
                node.name,
                "plan " + plan.id() + (ended.isComplete() ? " is complete" : " has failed: " + ended.tables()));
        world.oracle.ended(this, ended);
    }

    void die() {
        engine = null;
        isPaused = false;
        cancelledNanos = 0;
    }

    void cancel() {
        if (engine != null && result.isEmpty()) {
            world.note(node.name, "cancels plan " + plan.id());
            cancelledNanos = world.scheduler.nowNanos();
            engine.cancel(plan.id(), "injected");
        }
    }

    /** Cancels the plan with this probability, if it is between two attempts. */
    void cancelInAPause(double probability) {
        Engine running = engine;
        if (running != null && result.isEmpty() && world.happens(probability * CANCELS_IN_A_PAUSE)) {
            running.progress(plan.id()).thenAccept(sessions -> {
                if (running == engine && isBetweenAttempts(sessions)) {
                    cancel();
                }
            });
        }
    }

    private static boolean isBetweenAttempts(List<SessionProgress> sessions) {
        return sessions.stream()
                .anyMatch(session -> session.waitingFor()
                        .filter(wait -> wait.what() == Waiting.RETRY)
                        .isPresent());
    }

    /** Checks that a cancelled plan ends soon, unless a call of the disk or the database hangs. */
    void checkCancelled() {
        if (cancelledNanos == 0 || result.isPresent()) {
            return;
        }
        long nowNanos = world.scheduler.nowNanos();
        if (node.isHanging()) {
            cancelledNanos = nowNanos;
        } else if (nowNanos - cancelledNanos > CANCEL_NANOS) {
            throw world.violation(node.name + ": plan " + plan.id() + " was cancelled, and has not ended "
                    + CANCEL_NANOS / 1e9 + " s later");
        }
    }

    /** Pauses the plan and schedules its resumption. */
    void pause() {
        if (engine != null && !isPaused && result.isEmpty()) {
            world.note(node.name, "pauses plan " + plan.id());
            isPaused = true;
            engine.pause(plan.id());
            world.scheduler.after(world.random.nextLong(PAUSE_NANOS), node.alive(), this::resume);
        }
    }

    void resume() {
        if (engine != null && isPaused) {
            world.note(node.name, "resumes plan " + plan.id());
            isPaused = false;
            engine.resume(plan.id());
        }
    }
}
