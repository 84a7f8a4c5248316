package io.sluice.simulation;

import java.util.function.BooleanSupplier;

/**
 * One life of a node's process: what it has planned happens only while it lives, and may be what it dies of.
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
