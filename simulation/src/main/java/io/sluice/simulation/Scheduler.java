package io.sluice.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * The clock and the schedule of events. Two events at the same time happen in the order in which they were scheduled.
 */
class Scheduler {
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::number));
    private long nowNanos = 1;
    private long numbers;
    private long steps;

    private record Task(long atNanos, long number, BooleanSupplier isWanted, Runnable work) {}

    long nowNanos() {
        return nowNanos;
    }

    long steps() {
        return steps;
    }

    /** Runs {@code work} after a delay, if it is still wanted then. */
    void after(long nanos, BooleanSupplier isWanted, Runnable work) {
        tasks.add(new Task(nowNanos + Math.max(1, nanos), numbers++, isWanted, work));
    }

    /** Runs the next event that is still wanted; false if there is none before {@code endNanos}. */
    boolean step(long endNanos) {
        Task next = tasks.peek();
        while (next != null && !next.isWanted().getAsBoolean()) {
            tasks.remove();
            next = tasks.peek();
        }
        if (next == null || next.atNanos() > endNanos) {
            nowNanos = Math.max(nowNanos, endNanos);
            return false;
        }
        tasks.remove();
        nowNanos = next.atNanos();
        steps++;
        next.work().run();
        return true;
    }
}
