package io.sluice.netty.transport;

import io.netty.util.concurrent.EventExecutor;
import io.sluice.streaming.runtime.Loop;
import io.sluice.streaming.runtime.Timer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One event loop of Netty as the loop of a node. Thread-safe. */
public record NettyLoop(EventExecutor events) implements Loop {
    @Override
    public void execute(Runnable task) {
        events.execute(task);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        return timer(events.schedule(task, nanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public Timer every(long nanos, Runnable task) {
        return timer(events.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS));
    }

    static Timer timer(Future<?> scheduled) {
        return () -> scheduled.cancel(false);
    }
}
