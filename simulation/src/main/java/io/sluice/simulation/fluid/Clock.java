package io.sluice.simulation.fluid;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Simulated time: things that will happen, in the order of their times. Not thread-safe. */
final class Clock {
    private static final double NANOS_PER_SECOND = 1e9;

    private record Task(long atNanos, long number, Runnable work) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::number));
    private long nowNanos;
    private long numbers;

    long nowNanos() {
        return nowNanos;
    }

    double nowSeconds() {
        return nowNanos / NANOS_PER_SECOND;
    }

    /** How many things have been put in the queue. */
    long events() {
        return numbers;
    }

    /** Does {@code work} when so many seconds have passed; 0 is soon, but not now. */
    void after(double seconds, Runnable work) {
        tasks.add(new Task(nowNanos + Math.max(1, (long) Math.ceil(seconds * NANOS_PER_SECOND)), numbers++, work));
    }

    /** Goes on to what happens next; false if nothing does. */
    boolean step() {
        Task next = tasks.poll();
        if (next == null) {
            return false;
        }
        nowNanos = next.atNanos();
        next.work().run();
        return true;
    }
}
