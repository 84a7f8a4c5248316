package io.sluice.streaming.engine.receive;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.SessionSteps;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * The disk work of one session, and its end: the plan is notified when none of it runs any more and the files are
 * closed, or, if the disk does not answer, without waiting for it. Thread-safe.
 */
final class SessionDisk {
    /** A disk that does not answer for this long is considered stuck. */
    private static final long STUCK_SECONDS = 60;

    private final String name;
    private final UUID owner;
    private final PlanExecution plan;
    private final NodeContext node;
    private final LogKeys keys;
    private final StagedFiles files;
    private final SessionSteps<ReceivingSession.State, Event, Action> steps;
    private final SessionEnd end = new SessionEnd();
    private final CompletableFuture<Void> cleaned = new CompletableFuture<>();
    private volatile @Nullable Timer hanging;

    /**
     * Starts without work.
     *
     * @param name of the session, for the log
     * @param owner of staged files: the attempt
     */
    SessionDisk(
            String name,
            UUID owner,
            PlanExecution plan,
            LogKeys keys,
            StagedFiles files,
            SessionSteps<ReceivingSession.State, Event, Action> steps) {
        this.name = name;
        this.owner = owner;
        this.plan = plan;
        this.node = plan.receiving().node();
        this.keys = keys;
        this.files = files;
        this.steps = steps;
    }

    /** Runs disk work of this session; sequentially where the session requires an order. */
    void run(DiskWork work) {
        end.taskBegins();
        node.environment().disk().execute(() -> {
            try {
                if (!end.isClosed()) { // otherwise its resources would never be released
                    work.run();
                }
            } catch (RejectedExecutionException closed) {
                answeredTooLate();
            } catch (Throwable e) { // any exception: the session waits for an answer
                plan.fatal().note(e);
                boolean isStopped = e instanceof StreamException stopped && stopped.code() == ErrorCode.CANCELLED;
                steps.log(isStopped ? Level.DEBUG : Level.WARN, "{}: {}", name, String.valueOf(e.getMessage()), e);
                unlessClosed(() -> steps.post(new Event.Failed(Failure.of(e))));
            } finally {
                if (end.taskEnds()) {
                    cleanUp();
                }
            }
        });
    }

    /** Work that may fail with an IOException. */
    interface DiskWork {
        void run() throws IOException;
    }

    /** The session is over: cleans up when its work has ended, and notifies the plan. On the loop. */
    void over(PlanCoordinator.Event.SessionEnded ended) {
        hanging = node.environment()
                .loop()
                .after(TimeUnit.SECONDS.toNanos(PlanExecution.HUNG_SECONDS), keys.around(this::endWithoutDisk));
        if (end.over(ended)) {
            node.environment().disk().execute(this::cleanUp);
        }
    }

    /** The disk does not answer: the plan continues, and this session releases its resources when the disk answers. */
    private void endWithoutDisk() {
        end.overdue().ifPresent(ended -> {
            steps.log(
                    Level.WARN,
                    "{}: the disk has not answered for {} s since the session ended (busy?); the plan continues without it",
                    name,
                    PlanExecution.HUNG_SECONDS);
            plan.cleanAfter(cleaned);
            notifyPlan(ended);
            hanging = node.environment()
                    .loop()
                    .after(TimeUnit.SECONDS.toNanos(STUCK_SECONDS), keys.around(this::warnStuck));
        });
    }

    private void warnStuck() {
        if (!end.isClosed()) {
            steps.log(
                    Level.ERROR,
                    "{}: the disk has not answered for {} s: it is stuck; the resources of this session stay in use until it answers"
                            + " or the node restarts",
                    name,
                    PlanExecution.HUNG_SECONDS + STUCK_SECONDS);
        }
    }

    /** Releases everything when no disk task of this session is running any more, and notifies the plan. */
    private void cleanUp() {
        try {
            files.closeAll();
        } catch (IOException e) {
            steps.log(Level.WARN, "{}: cannot close staged files: {}", name, String.valueOf(e.getMessage()));
        }
        plan.tables().release(owner);
        Optional<PlanCoordinator.Event.SessionEnded> unsaid = end.closed();
        cleaned.complete(null);
        Timer timer = hanging;
        if (timer != null) {
            timer.cancel();
        }
        unsaid.ifPresent(this::notifyPlan);
    }

    private void notifyPlan(PlanCoordinator.Event.SessionEnded ended) {
        unlessClosed(() -> node.onLoop(() -> plan.on(ended)));
    }

    /** Reports to the loop, which has ended if the node was closed while the disk did not answer. */
    private void unlessClosed(Runnable report) {
        try {
            report.run();
        } catch (RejectedExecutionException closed) {
            answeredTooLate();
        }
    }

    private void answeredTooLate() {
        steps.log(Level.WARN, "{}: the disk answered after the node was closed", name);
    }
}
