package io.sluice.simulation;

import io.sluice.streaming.runtime.Loop;
import io.sluice.streaming.runtime.Timer;
import java.time.Instant;

/** The loop of one process, in virtual time: runs nothing once the process has died. */
final class SimulatedLoop implements Loop {
    private final Life life;
    private long busyUntilNanos;

    SimulatedLoop(Life life) {
        this.life = life;
    }

    /** Runs tasks in the order in which they are submitted, each when the loop gets to it. */
    @Override
    public void execute(Runnable task) {
        busyUntilNanos = Math.max(busyUntilNanos, nanoTime() + life.world().busyNanos());
        life.later(busyUntilNanos - nanoTime(), task);
    }

    @Override
    public long nanoTime() {
        return life.world().scheduler.nowNanos();
    }

    @Override
    public Instant now() {
        return Instant.EPOCH.plusNanos(nanoTime());
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        Scheduled scheduled = new Scheduled(task);
        life.later(nanos, scheduled::run);
        return scheduled;
    }

    @Override
    public Timer every(long nanos, Runnable task) {
        Scheduled scheduled = new Scheduled(task);
        repeat(nanos, scheduled);
        return scheduled;
    }

    private void repeat(long nanos, Scheduled task) {
        life.later(nanos, () -> {
            if (!task.isCancelled) {
                task.run();
                repeat(nanos, task);
            }
        });
    }

    private static final class Scheduled implements Timer {
        private final Runnable task;
        private boolean isCancelled;

        Scheduled(Runnable task) {
            this.task = task;
        }

        void run() {
            if (!isCancelled) {
                task.run();
            }
        }

        @Override
        public void cancel() {
            isCancelled = true;
        }
    }
}
