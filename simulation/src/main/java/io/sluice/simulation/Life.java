package io.sluice.simulation;

import java.util.function.BooleanSupplier;

/**
 * One run of a node's process: its scheduled work happens only while the process is alive, and may kill it.
 *
 * @param isAlive false for ever once the process has died
 */
record Life(World world, SimulatedNode node, BooleanSupplier isAlive) {
    void later(long nanos, Runnable task) {
        world.scheduler.after(nanos, isAlive, () -> node.work(task));
    }

    boolean isOver() {
        return !isAlive.getAsBoolean() || node.disk.isCrashed();
    }
}
