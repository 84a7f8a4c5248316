package io.sluice.harness.agent;

import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.hook.HookMXBean;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains a hold of the node while a coordinator sends requests. A hold costs every write one more acknowledgement,
 * so an abandoned one must not last: if the agent ends, or stops its heartbeats on purpose, the hook lets the node
 * continue. Thread-safe.
 */
final class HookLease implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HookLease.class);
    private static final long PERIOD_MILLIS = 1_000;

    private final Hooks hooks;
    private final long timeoutNanos;
    private final LongSupplier nanoClock;
    private final ScheduledExecutorService timer;
    private volatile long lastOrderNanos;
    private volatile String holdId = "";
    private volatile String failed = ""; // why the last beat did; empty if it did not

    /** The hook of a node, asked for anew each time. */
    interface Hooks {
        /** Empty if the node runs without one. */
        Optional<HookMXBean> hook() throws IOException;
    }

    /**
     * Does nothing by itself.
     *
     * @param nanoClock from an arbitrary start
     */
    HookLease(Hooks hooks, Duration timeout, LongSupplier nanoClock) {
        this.hooks = hooks;
        this.timeoutNanos = timeout.toNanos();
        this.nanoClock = nanoClock;
        this.lastOrderNanos = nanoClock.getAsLong();
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "sluice-hook");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Begins. */
    static HookLease start(NodeJmx jmx, Duration timeout) {
        HookLease lease = new HookLease(
                new Hooks() {
                    @Override
                    public Optional<HookMXBean> hook() throws IOException {
                        return jmx.hook();
                    }

                    @Override
                    public String toString() {
                        return jmx.toString();
                    }
                },
                timeout,
                System::nanoTime);
        // Nobody waits for it: it ends with the timer, and what goes wrong it says itself.
        Future<?> unused = lease.timer.scheduleWithFixedDelay(lease::beat, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        return lease;
    }

    /** Records a request of a coordinator. */
    void orderReceived() {
        lastOrderNanos = nanoClock.getAsLong();
    }

    /** Says to the hook that somebody brings data, unless nobody has given an order for too long. */
    void beat() {
        try {
            keepUp();
            failed = "";
        } catch (IOException | RuntimeException e) { // the node ended or continues; retried
            String reason = e.toString();
            if (!reason.equals(failed)) {
                LOG.warn("no heartbeat to the node at {}: {}", hooks, reason);
            }
            failed = reason;
        }
    }

    private void keepUp() throws IOException {
        Optional<HookMXBean> hook = hooks.hook();
        if (hook.isEmpty() || HookState.of(hook.get().getState()) != HookState.HOLDING) {
            return;
        }
        String id = hook.get().getHoldId();
        if (!id.equals(holdId)) {
            holdId = id;
            orderReceived(); // the coordinator has its time from here on
            LOG.info("node waits, hold {}", id);
        }
        if (nanoClock.getAsLong() - lastOrderNanos < timeoutNanos) {
            hook.get().heartbeat(id);
        } else {
            LOG.warn(
                    "no request from a coordinator for {} s: the node will soon continue by itself",
                    timeoutNanos / 1_000_000_000);
        }
    }

    /** The hook as it is now; empty if the node runs without. */
    Optional<AgentMessages.Hook> hook() throws IOException {
        return ask(hook -> new AgentMessages.Hook(
                HookState.of(hook.getState()),
                hook.getHoldId(),
                hook.getOperation(),
                hook.getHeldMillis(),
                hook.getReason(),
                hook.getPlan(),
                hook.getMarked()));
    }

    /**
     * Checks that an order is about the wait that the node is in.
     *
     * @throws IllegalArgumentException if the node does not wait, or in another wait
     */
    void requireHold(String wanted) throws IOException {
        Optional<AgentMessages.Hook> now = hook();
        if (now.filter(hook ->
                        hook.state() == HookState.HOLDING && hook.holdId().equals(wanted))
                .isEmpty()) {
            throw new IllegalArgumentException("this order is about wait " + wanted + ", and the node at " + hooks
                    + now.map(hook -> hook.state() == HookState.HOLDING
                                    ? " is in wait " + hook.holdId()
                                    : " does not wait")
                            .orElse(" has no hook")
                    + " (expected: an order about the wait that it is in; give it again)");
        }
    }

    private <T> Optional<T> ask(Function<HookMXBean, T> question) throws IOException {
        try {
            return hooks.hook().map(question);
        } catch (UndeclaredThrowableException e) { // a proxy wraps what JMX throws
            throw new IOException("no answer from the hook: " + e.getCause(), e);
        } catch (SecurityException e) {
            throw new IOException(
                    "the hook of the node at " + hooks + ": " + e.getMessage()
                            + " (expected: a login of JMX that may call " + HookMXBean.NAME + ")",
                    e);
        }
    }

    /**
     * Sends a command to the hook.
     *
     * @throws IOException also if there is no hook, or it refuses
     */
    void order(java.util.function.Consumer<HookMXBean> order) throws IOException {
        try {
            Optional<Boolean> done = ask(hook -> {
                order.accept(hook);
                return true;
            });
            if (done.isEmpty()) {
                throw new IOException("the node at " + hooks
                        + " has no hook (expected: it was started with -javaagent:sluice-cassandra-hook.jar)");
            }
        } catch (IllegalStateException | IllegalArgumentException | javax.management.RuntimeMBeanException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException("the hook refused: " + cause.getMessage(), e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
