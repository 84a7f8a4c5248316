package io.sluice.streaming.engine.receive;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.Outlook;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator.Event;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The installs of one plan, one after the other. If the disk or the database does not answer an install in time, the
 * plan continues without it, because whether that table is committed is unknown, and queued installs are not begun.
 * Confined to the loop; the installs themselves run on other threads.
 */
final class InstallCalls {
    private final long timeoutNanos;
    private final Steps steps;
    /** The unanswered installs, in order of execution. */
    private final Map<UUID, Call> calls = new LinkedHashMap<>();
    /** Tables whose install has failed after its commit point, and what becomes of them. */
    private final Map<UUID, Outlook> committed = new HashMap<>();

    private static final class Call {
        /** Set once: by the thread that begins the install, or by the one that abandons it. */
        final AtomicBoolean isDecided = new AtomicBoolean();

        boolean isOverdue;

        /** Must be cancelled: it keeps the plan in memory until it fires. */
        @Nullable
        Timer deadline;
    }

    /** The operations that installs need. */
    interface Steps {
        /** Runs a call of the database after all previous ones have ended, on a thread that may block. */
        void inTurn(Runnable work);

        void onLoop(Runnable work);

        /** Runs work on the loop after a delay, unless the returned timer is cancelled before. */
        Timer after(long nanos, Runnable work);

        /** Installs a table, on a thread that may block. */
        Event install(UUID tableId);

        void post(Event event);

        /** An install has ended after the plan stopped waiting for it. */
        void settle(Event late);
    }

    /** @param patienceNanos the timeout of one install, from its beginning */
    InstallCalls(long patienceNanos, Steps steps) {
        this.timeoutNanos = patienceNanos;
        this.steps = steps;
    }

    /** Installs a table, for the first time or again. */
    void begin(UUID tableId) {
        Call call = new Call();
        boolean isStuck = calls.values().stream().anyMatch(other -> other.isOverdue);
        calls.put(tableId, call);
        if (isStuck) {
            stopWaiting(tableId, call);
            return;
        }
        steps.inTurn(() -> {
            if (call.isDecided.compareAndSet(false, true)) {
                steps.onLoop(() ->
                        call.deadline = steps.after(timeoutNanos, () -> overdue(tableId, call, late(timeoutNanos))));
                Event answer = steps.install(tableId);
                steps.onLoop(() -> answered(tableId, call, answer));
            }
        });
    }

    /** The plan was cancelled so long ago: installs that have not ended are abandoned. */
    void cancelled(long graceNanos, String reason) {
        Failure why = new Failure(ErrorCode.CANCELLED, reason + "; " + unknown(graceNanos));
        List.copyOf(calls.entrySet()).forEach(entry -> overdue(entry.getKey(), entry.getValue(), why));
    }

    private static Failure late(long nanos) {
        return new Failure(ErrorCode.TIMEOUT, unknown(nanos));
    }

    private static String unknown(long nanos) {
        return "its install has not answered for " + TimeUnit.NANOSECONDS.toSeconds(nanos)
                + " s (is the disk or the database blocked?): the table may be committed; then it goes live when they"
                + " answer or when this node restarts. Check whether it is live before you fetch it again";
    }

    private void overdue(UUID tableId, Call call, Failure why) {
        if (calls.get(tableId) != call || call.isOverdue) {
            return;
        }
        if (!call.isDecided.get()) {
            stopWaiting(tableId, call);
            return;
        }
        call.isOverdue = true;
        steps.post(new Event.InstallOverdue(tableId, why));
        List.copyOf(calls.entrySet()).forEach(entry -> stopWaiting(entry.getKey(), entry.getValue()));
    }

    private void stopWaiting(UUID tableId, Call call) {
        if (call.isDecided.compareAndSet(false, true)) {
            calls.remove(tableId);
            String why = "its install was not begun, because an earlier one did not answer in time";
            Outlook outlook = committed.getOrDefault(tableId, Outlook.NOT_COMMITTED);
            Failure failure = new Failure(ErrorCode.TIMEOUT, why + outlook.words());
            // A committed install cannot be undone: recovery finishes it.
            steps.post(
                    outlook.isCommitted()
                            ? new Event.InstallOverdue(tableId, failure)
                            : new Event.InstallFailed(tableId, failure, outlook));
        }
    }

    private void answered(UUID tableId, Call call, Event answer) {
        calls.remove(tableId, call);
        Timer deadline = call.deadline;
        if (deadline != null) {
            deadline.cancel();
        }
        if (answer instanceof Event.InstallFailed failed && failed.outlook().isCommitted()) {
            committed.put(tableId, failed.outlook());
        }
        steps.post(answer);
        if (call.isOverdue) {
            steps.settle(answer);
        }
    }
}
