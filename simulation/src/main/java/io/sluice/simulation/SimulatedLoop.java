package io.sluice.simulation;

import io.sluice.streaming.runtime.Loop;
import io.sluice.streaming.runtime.Timer;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/** The loop of one process, in virtual time: runs nothing once the process has died. */
final class SimulatedLoop implements Loop {
    private final Life life;
    private final Set<Scheduled> timers = new HashSet<>();
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

    /** How many timers have neither fired nor been cancelled: what they refer to stays in memory. */
    int timers() {
        return timers.size();
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        Scheduled scheduled = new Scheduled(task);
        life.later(nanos, () -> {
            if (timers.remove(scheduled)) {
                task.run();
            }
        });
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
            if (timers.contains(task)) {
                task.task.run();
                repeat(nanos, task);
            }
        });
    }

    private final class Scheduled implements Timer {
        private final Runnable task;

        Scheduled(Runnable task) {
            this.task = task;
            timers.add(this);
        }

        @Override
        public void cancel() {
            timers.remove(this);
        }
    }
}
