package io.sluice.bench.process;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * What a process has used since it began.
 *
 * @param cpuSeconds user and system, all threads
 * @param allocatedBytes on the heap, by threads that live
 */
public record Usage(double cpuSeconds, long allocatedBytes) {
    private static final double NANOS_PER_SECOND = 1e9;

    /** What this process has used. */
    public static Usage now() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
        return new Usage(system.getProcessCpuTime() / NANOS_PER_SECOND, allocated);
    }

    /** What was used since {@code before}. */
    public Usage since(Usage before) {
        return new Usage(cpuSeconds - before.cpuSeconds, allocatedBytes - before.allocatedBytes);
    }
}
