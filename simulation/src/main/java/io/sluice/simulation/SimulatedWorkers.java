package io.sluice.simulation;

import java.util.concurrent.Executor;

/** Threads that wait for a disk: tasks take random times, end in any order, and sometimes take minutes. */
final class SimulatedWorkers implements Executor {
    private static final long DISK_NANOS = 40_000_000;
    private static final long HANG_NANOS = 300_000_000_000L;

    private final Life life;
    private int hanging;

    SimulatedWorkers(Life life) {
        this.life = life;
    }

    @Override
    public void execute(Runnable task) {
        World world = life.world();
        boolean hangs = world.happens(world.faults.of(FaultRates.Kind.DISK_HANGS));
        long nanos = Math.max(life.node().stuckNanos(), world.random.nextLong(hangs ? HANG_NANOS : DISK_NANOS));
        if (life.node().database() instanceof SourceDatabase) {
            nanos = Math.max(nanos, world.slowNanos());
        }
        boolean isLong = nanos > DISK_NANOS;
        hanging += isLong ? 1 : 0;
        life.later(nanos, () -> {
            hanging -= isLong ? 1 : 0;
            world.seams.run(task);
        });
    }

    /** Whether a task hangs for minutes. */
    boolean isHanging() {
        return hanging > 0;
    }
}
