package io.sluice.netty.transport;

import io.netty.util.concurrent.EventExecutor;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.runtime.Loop;
import io.sluice.streaming.runtime.Timer;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Netty event loop as the loop of a node. Thread-safe. */
public record NettyLoop(EventExecutor events) implements Loop {
    private static final Logger LOG = LoggerFactory.getLogger(NettyLoop.class);

    @Override
    public void execute(Runnable task) {
        events.execute(task);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        return timer(events.schedule(guarded(task), nanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public Timer every(long nanos, Runnable task) {
        return timer(events.scheduleWithFixedDelay(guarded(task), nanos, nanos, TimeUnit.NANOSECONDS));
    }

    /** Logs exceptions: otherwise they would stay in a future that nobody reads, and a periodic task would stop. */
    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                LOG.error("a scheduled task failed", e);
                VirtualMachineErrors.handOn(e);
            }
        };
    }

    static Timer timer(Future<?> scheduled) {
        return () -> scheduled.cancel(false);
    }
}
