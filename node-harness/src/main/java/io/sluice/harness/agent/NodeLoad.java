package io.sluice.harness.agent;

import io.sluice.harness.agent.SlowReads.Counts;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a node how its reads are, each second while data streams and each tenth second otherwise, so that streaming
 * slows down while it is overloaded. A node that does not answer slows nothing down. Thread-safe.
 */
final class NodeLoad implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLoad.class);
    private static final long PERIOD_SECONDS = 1;
    private static final int PERIODS_IF_IDLE = 10;
    /** An answer that is older counts no more: the next one may take long. */
    private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Node node;
    private final LongSupplier nanoClock;
    private final ScheduledExecutorService timer;
    private volatile Answer answer;

    // Of the timer alone.
    private final SlowReads slowReads = new SlowReads();
    private long streamedBefore;
    private long lastNanos;
    private int idlePeriods = PERIODS_IF_IDLE;
    private boolean hasFailed;

    /** What counts requests. */
    interface Node {
        /** Its counts since its start. */
        Counts counts() throws IOException;
    }

    private record Answer(boolean isOverloaded, long atNanos) {}

    /**
     * Asks nothing by itself.
     *
     * @param nanoClock from an arbitrary start
     */
    NodeLoad(Node node, LongSupplier nanoClock) {
        this.node = node;
        this.nanoClock = nanoClock;
        this.lastNanos = nanoClock.getAsLong();
        this.answer = new Answer(false, lastNanos);
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "sluice-load");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Begins.
     *
     * @param streamedBytes in both directions since the start
     */
    void start(LongSupplier streamedBytes) {
        // Nobody waits for it: it ends with the timer, and what goes wrong it says itself.
        Future<?> unused = timer.scheduleWithFixedDelay(
                () -> look(streamedBytes.getAsLong()), PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    /** Whether the node is overloaded by what streams. */
    boolean isOverloaded() {
        Answer last = answer;
        return last.isOverloaded() && nanoClock.getAsLong() - last.atNanos() < VALID_NANOS;
    }

    /** Asks the node if data streams, or it is time to. */
    void look(long streamedBytes) {
        boolean isIdle = streamedBytes == streamedBefore;
        idlePeriods = isIdle ? idlePeriods + 1 : 0;
        if (isIdle && idlePeriods % PERIODS_IF_IDLE != 0) {
            return;
        }
        long now = nanoClock.getAsLong();
        double seconds = Math.max(1, now - lastNanos) / (double) TimeUnit.SECONDS.toNanos(1);
        double streamedPerSecond = (streamedBytes - streamedBefore) / seconds;
        streamedBefore = streamedBytes;
        lastNanos = now;
        boolean isOverloaded = false;
        try {
            isOverloaded = slowReads.next(node.counts(), streamedPerSecond);
            hasFailed = false;
        } catch (IOException | RuntimeException e) {
            if (!hasFailed) {
                LOG.warn(
                        "the node does not say how its reads are, streaming does not slow down for them: {}",
                        e.toString());
            }
            hasFailed = true;
        }
        if (isOverloaded != answer.isOverloaded()) {
            LOG.info(
                    isOverloaded
                            ? "reads of the node take twice as long as usual, or it drops requests: streaming slows down"
                            : "requests of the node are as usual: streaming speeds up again");
        }
        answer = new Answer(isOverloaded, nanoClock.getAsLong());
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
