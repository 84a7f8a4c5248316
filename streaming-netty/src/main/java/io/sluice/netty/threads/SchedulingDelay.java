package io.sluice.netty.threads;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How long threads waited for a processor before they ran, on average over a second or so. Pure; not thread-safe.
 *
 * <p>On two processors with nothing else to do a thread that is woken up waits for 5 to 60 µs; beside a stream at full
 * speed for 200 to 400 µs, when 99th percentiles of reads are twice what they were; at three fifths of that speed for
 * 60 to 160 µs, when they are as they were ({@code ./sluice bench reads}, {@code /proc/PID/task/TID/schedstat}).
 */
final class SchedulingDelay {
    /** Above this requests are slowed down. */
    static final Duration LIMIT = Duration.ofNanos(200_000);

    /** Of fewer nothing is known: a few may be unlucky, and a process that serves nobody has a few. */
    static final long LEAST_RUNS = 100;

    /** What was counted before keeps this part of its weight. */
    private static final double KEPT = 0.5;

    private Map<Integer, Counted> before = Map.of();
    private double waitNanos;
    private double runs;

    /**
     * What Linux has counted of a thread since it was started.
     *
     * @param waitNanos that it could have run, and no processor was free
     * @param runs times that it ran, until it waited for something or another thread's turn came
     */
    record Counted(long waitNanos, long runs) {
        static final Counted NOTHING = new Counted(0, 0);
    }

    /** Takes what is counted now, by the numbers of the threads. Of one that is new nothing counts but what follows. */
    void add(Map<Integer, Counted> now) {
        waitNanos *= KEPT;
        runs *= KEPT;
        now.forEach((thread, counted) -> {
            Counted last = before.getOrDefault(thread, counted);
            waitNanos += Math.max(0, counted.waitNanos() - last.waitNanos());
            runs += Math.max(0, counted.runs() - last.runs());
        });
        before = new HashMap<>(now);
    }

    /** Nothing is known any more. */
    void forget() {
        before = Map.of();
        waitNanos = 0;
        runs = 0;
    }

    /** Whether threads wait too long. */
    boolean isTooLong() {
        return runs >= LEAST_RUNS && waitNanos / runs > LIMIT.toNanos();
    }
}
