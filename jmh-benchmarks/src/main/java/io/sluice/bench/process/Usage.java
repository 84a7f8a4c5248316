package io.sluice.bench.process;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.function.DoubleFunction;

/**
 * What a process has used since it began. Immutable.
 *
 * @param cpuSeconds user and system, all threads; Java counts it in steps of 10 ms, as the kernel's {@code times} does
 * @param allocatedBytes on the heap, by threads that live
 */
public record Usage(double cpuSeconds, long allocatedBytes) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double STEP_SECONDS = 0.01;
    private static final int FEW_STEPS = 3;

    /** What this process has used. */
    public static Usage now() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
        return new Usage(system.getProcessCpuTime() / NANOS_PER_SECOND, allocated);
    }

    /** A part of a ratio: what is less than a step of the clock counts as one. */
    public static double atLeastOneStep(double cpuSeconds) {
        return Math.max(STEP_SECONDS, cpuSeconds);
    }

    /**
     * CPU of a run for each unit of its work, as a table shows it: a bound if there were less than three steps of the
     * clock.
     *
     * @param cpuSecondsPerUnit of a run with {@code units}
     */
    public static String text(double cpuSecondsPerUnit, double units, DoubleFunction<String> number) {
        return isCounted(cpuSecondsPerUnit, units)
                ? number.apply(cpuSecondsPerUnit)
                : "< " + number.apply(FEW_STEPS * STEP_SECONDS / units);
    }

    /** Whether a run with {@code units} had three steps of the clock or more. */
    public static boolean isCounted(double cpuSecondsPerUnit, double units) {
        return Math.round(cpuSecondsPerUnit * units / STEP_SECONDS) >= FEW_STEPS;
    }

    /** Whether {@code cpuSeconds} are three steps of the clock or more. */
    public static boolean isCounted(double cpuSeconds) {
        return isCounted(cpuSeconds, 1);
    }

    /** What was used since {@code before}. */
    public Usage since(Usage before) {
        return new Usage(cpuSeconds - before.cpuSeconds, allocatedBytes - before.allocatedBytes);
    }
}
