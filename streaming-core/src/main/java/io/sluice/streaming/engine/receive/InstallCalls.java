package io.sluice.streaming.engine.receive;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator.Event;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The installs of one plan, one after the other, and what becomes of the plan if the disk or the database does not
 * answer one: it goes on without, as nobody can say whether that table is committed, and those that wait behind it are
 * not begun. Confined to the loop; the installs themselves run on other threads.
 */
final class InstallCalls {
    private final long timeoutNanos;
    private final Steps steps;
    /** Those that have not answered, in the order in which they run. */
    private final Map<UUID, Call> calls = new LinkedHashMap<>();
    /** Tables of which an install has failed after its commit point. */
    private final Set<UUID> committed = new HashSet<>();

    private static final class Call {
        /** Whoever sets it decides: who begins the install, or who says that it will not be begun. */
        final AtomicBoolean isDecided = new AtomicBoolean();

        boolean isOverdue;

        /** Would keep the plan in memory until then. */
        @Nullable
        Timer deadline;
    }

    /** What it takes to perform an install. */
    interface Steps {
        /** Runs what calls the database when all before it has ended, on a thread that may wait. */
        void inTurn(Runnable work);

        void onLoop(Runnable work);

        /** On the loop, unless the answer is cancelled before. */
        Timer after(long nanos, Runnable work);

        /** On a thread that may wait. */
        Event install(UUID tableId);

        void post(Event event);

        /** An install has ended that the plan did not wait for. */
        void settle(Event late);
    }

    /** @param patienceNanos how long one may take, from when it begins */
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

    /** The plan is cancelled: what is not begun will not be, and what is has a little time left. */
    void cancel(long graceNanos, String reason) {
        steps.after(
                graceNanos,
                () -> List.copyOf(calls.entrySet())
                        .forEach(entry -> overdue(
                                entry.getKey(),
                                entry.getValue(),
                                new Failure(ErrorCode.CANCELLED, reason + "; " + unknown(graceNanos)))));
    }

    private static Failure late(long nanos) {
        return new Failure(ErrorCode.TIMEOUT, unknown(nanos));
    }

    private static String unknown(long nanos) {
        return "its install has not answered for " + TimeUnit.NANOSECONDS.toSeconds(nanos)
                + " s (is the disk or the database stuck?): it may be committed, and then goes live when they answer,"
                + " or when this node starts again; look whether it has before you fetch it once more";
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
            Failure why = new Failure(
                    ErrorCode.TIMEOUT, "its install was not begun, since one before it has not answered in time");
            // What is committed already cannot be undone: recovery finishes it.
            steps.post(
                    committed.contains(tableId)
                            ? new Event.InstallOverdue(
                                    tableId,
                                    new Failure(
                                            why.code(),
                                            why.reason() + "; it is committed, and goes live when this node starts"
                                                    + " again"))
                            : new Event.InstallFailed(tableId, why, false));
        }
    }

    private void answered(UUID tableId, Call call, Event answer) {
        calls.remove(tableId, call);
        Timer deadline = call.deadline;
        if (deadline != null) {
            deadline.cancel();
        }
        if (answer instanceof Event.InstallFailed failed && failed.isCommitted()) {
            committed.add(tableId);
        }
        steps.post(answer);
        if (call.isOverdue) {
            steps.settle(answer);
        }
    }
}
