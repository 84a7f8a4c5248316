package io.sluice.netty;

import io.sluice.netty.threads.CloseDeadline;
import io.sluice.netty.threads.Factories;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.Session;
import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.runtime.ActivityListener;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits the notifications of a {@link StreamListener} to the embedder's executor, on a thread of its own, because an
 * executor may block its caller. Thread-safe, except {@link #tick}, which only the loop calls.
 */
final class ListenerCalls implements ActivityListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerCalls.class);
    private static final int MOST_CALLS = 10_000;
    /** A wait of this length is reported. */
    private static final Duration LONG_WAIT = Duration.ofSeconds(10);
    /** A sample that has not run for so long is lost: the executor has dropped it. */
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long LINE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long CLOSE_SECONDS = 1;

    private static final long FREE = 0;

    private final StreamListener listener;
    private final Executor executor;
    private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>(MOST_CALLS);
    private final Thread thread;
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong lineNanos;
    /** When the pending sample was submitted; {@link #FREE} if none is pending. */
    private final AtomicLong sampleNanos = new AtomicLong(FREE);

    private volatile boolean isClosing;
    // Confined to the loop.
    private final Map<Session, Wait> told = new HashMap<>();
    private boolean wasStreaming;

    /** @param lost runs if the executor rejects the call */
    private record Call(String name, Runnable work, Runnable lost) {}

    /** @throws IllegalStateException if {@code factory} returns no thread */
    ListenerCalls(ThreadFactory factory, StreamListener listener, Executor executor) {
        this.listener = listener;
        this.executor = executor;
        this.lineNanos = new AtomicLong(System.nanoTime() - LINE_NANOS);
        this.thread = Factories.made(factory.newThread(this::handOver));
        this.thread.start();
    }

    @Override
    public void sessionOpened(Session session) {
        call("sessionOpened", () -> listener.sessionOpened(session));
    }

    @Override
    public void sessionEnded(Session session, long bytes, Optional<PlanResult.Failure> failure) {
        call("sessionEnded", () -> listener.sessionEnded(session, bytes, failure));
    }

    @Override
    public void tableEnded(UUID planId, PlanResult.TableResult table) {
        if (table.installed()) {
            call("tableLive", () -> listener.tableLive(planId, table));
        } else {
            call("tableFailed", () -> listener.tableFailed(planId, table));
        }
    }

    /** A plan has ended with this result. */
    void planEnded(PlanResult result) {
        call("planEnded", () -> listener.planEnded(result));
    }

    /**
     * Called once a second: submits a sample, unless the last one is still pending, and reports long waits.
     *
     * @param activity what the node streams
     * @param waits what each session waits for
     */
    void tick(StreamActivity activity, Map<Session, Wait> waits, long nowNanos) {
        tellWaits(waits, activity.time());
        boolean isStreaming =
                !activity.receiving().isEmpty() || !activity.sending().isEmpty();
        boolean isWanted = isStreaming || wasStreaming;
        long handedOver = sampleNanos.get();
        if (isWanted && (handedOver == FREE || nowNanos - handedOver > LOST_NANOS)) {
            wasStreaming = isStreaming;
            // Before it is submitted: it may have run when that returns.
            sampleNanos.set(nowNanos == FREE ? 1 : nowNanos);
            Runnable taken = () -> sampleNanos.set(FREE);
            offer(new Call(
                    "progress",
                    () -> {
                        try {
                            listener.progress(activity);
                        } finally {
                            taken.run();
                        }
                    },
                    taken));
        }
    }

    private void tellWaits(Map<Session, Wait> waits, Instant now) {
        told.keySet().retainAll(waits.keySet());
        waits.forEach((session, wait) -> {
            if (wait.lasted(now).compareTo(LONG_WAIT) < 0) {
                told.remove(session);
                return;
            }
            Wait before = told.put(session, wait);
            if (before == null || before.what() != wait.what()) {
                call("waiting", () -> listener.waiting(session, wait));
            }
        });
    }

    private void call(String name, Runnable work) {
        offer(new Call(name, work, () -> {}));
    }

    private void offer(Call call) {
        if (!calls.offer(call)) {
            lost(call, MOST_CALLS + " are waiting for it");
        }
    }

    private void lost(Call call, String why) {
        call.lost().run();
        long all = lost.incrementAndGet();
        long now = System.nanoTime();
        long last = lineNanos.get();
        if (now - last >= LINE_NANOS && lineNanos.compareAndSet(last, now)) {
            LOG.warn(
                    "the listener's executor has lost {} notifications, the last one of {}: {}", all, call.name(), why);
        }
    }

    private void handOver() {
        while (!isClosing || !calls.isEmpty()) {
            try {
                Call call = calls.poll(CLOSE_SECONDS, TimeUnit.SECONDS);
                if (call != null) {
                    handOver(call);
                }
            } catch (InterruptedException e) {
                return; // the node is closed, and the executor is stuck
            }
        }
    }

    private void handOver(Call call) {
        try {
            executor.execute(() -> run(call));
        } catch (Throwable e) { // any exception: other notifications follow
            lost(call, e.toString());
            VirtualMachineErrors.handOn(e);
        }
    }

    private static void run(Call call) {
        try {
            call.work().run();
        } catch (Throwable e) {
            LOG.error("the listener failed in {}", call.name(), e);
            VirtualMachineErrors.handOn(e);
        }
    }

    private boolean ends() {
        return CloseDeadline.within(Duration.ofSeconds(CLOSE_SECONDS)).await(left -> {
            thread.join(Math.max(1, left.toMillis())); // 0 would be for ever
            return !thread.isAlive();
        });
    }

    /** Submits what is queued, for at most a second. */
    @Override
    public void close() {
        isClosing = true;
        call("close", () -> {}); // wakes the thread
        if (!ends()) {
            thread.interrupt();
        }
        if (!ends()) {
            LOG.warn("the listener's executor still blocks thread {}; closing does not wait for it", thread.getName());
        }
    }
}
