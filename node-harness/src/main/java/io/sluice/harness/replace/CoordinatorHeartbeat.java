package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says to the agent of the node that waits, again and again, that the coordinator lives: a transfer, or a digest at a
 * source, may take longer than an agent waits for orders. Owns a thread; closed by whoever started it.
 */
final class CoordinatorHeartbeat implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorHeartbeat.class);
    /** Agents wait for minutes. */
    static final Duration PERIOD = Duration.ofSeconds(10);

    /** Much shorter than an agent waits: a connection that is half dead must not stop the next heartbeat. */
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ScheduledExecutorService timer;

    private CoordinatorHeartbeat(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /**
     * Begins.
     *
     * @param timeout of each heartbeat
     * @param problem takes why a heartbeat had no answer, or empty if it had
     */
    static CoordinatorHeartbeat start(
            AgentClient agent, Duration period, Duration timeout, Consumer<Optional<String>> problem) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "sluice-coordinator");
            thread.setDaemon(true);
            return thread;
        });
        // Nobody waits for it: it ends with the timer.
        Future<?> unused = timer.scheduleWithFixedDelay(
                () -> beat(agent, timeout, problem), 0, period.toMillis(), TimeUnit.MILLISECONDS);
        return new CoordinatorHeartbeat(timer);
    }

    private static void beat(AgentClient agent, Duration timeout, Consumer<Optional<String>> problem) {
        try {
            agent.keepHolding(timeout);
            problem.accept(Optional.empty());
        } catch (IOException | RuntimeException e) { // whatever it is, the next beat comes
            LOG.debug("{}: {}", agent, e.getMessage()); // the next order says so to the operator
            problem.accept(Optional.of(String.valueOf(e.getMessage())));
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
