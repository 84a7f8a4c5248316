package io.sluice.harness.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;

/**
 * Resources that a process has used so far. Immutable.
 *
 * @param cpu user and system time; empty for a process that has ended
 * @param system the part of {@code cpu} inside the kernel; empty where the platform does not report it
 * @param peakMemoryBytes the most memory that it ever used; empty where the platform does not report it
 */
public record ProcessUsage(Optional<Duration> cpu, Optional<Duration> system, Optional<Long> peakMemoryBytes) {
    /** Usage of a process that has ended: unknown. */
    public static final ProcessUsage UNKNOWN = new ProcessUsage(Optional.empty(), Optional.empty(), Optional.empty());

    // USER_HZ is 100 on every Linux that Java runs on.
    private static final long MILLIS_PER_TICK = 10;
    private static final int USER_TIME_AFTER_NAME = 11;
    private static final long SAMPLE_MILLIS = 10;

    /** A sample of a process of this machine. */
    public static ProcessUsage of(ProcessHandle process) {
        Path proc = Path.of("/proc", Long.toString(process.pid()));
        try {
            String stat = Files.readString(proc.resolve("stat"));
            // The name, in parentheses, may contain blanks, so fields are counted from its closing parenthesis
            // (proc(5)).
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            Duration user = ticks(fields[USER_TIME_AFTER_NAME]);
            Duration system = ticks(fields[USER_TIME_AFTER_NAME + 1]);
            return new ProcessUsage(Optional.of(user.plus(system)), Optional.of(system), peakMemory(proc));
        } catch (IOException e) {
            return process.info()
                    .totalCpuDuration()
                    .map(cpu -> new ProcessUsage(Optional.of(cpu), Optional.empty(), Optional.empty()))
                    .orElse(UNKNOWN);
        }
    }

    /**
     * Waits until a process ends, and kills it after {@code limit}; returns what it had used shortly before its end.
     */
    public static ProcessUsage awaitEnd(Process process, Duration limit) throws InterruptedException {
        ProcessUsage usage = UNKNOWN;
        long start = System.nanoTime();
        // Usage can be read only while the process runs.
        while (!process.waitFor(SAMPLE_MILLIS, TimeUnit.MILLISECONDS)) {
            ProcessUsage now = of(process.toHandle());
            usage = now.isKnown() ? now : usage;
            if (System.nanoTime() - start > limit.toNanos()) {
                process.destroyForcibly();
            }
        }
        return usage;
    }

    /** The usage between an earlier sample and this one. */
    public ProcessUsage since(ProcessUsage earlier) {
        return new ProcessUsage(
                cpu.map(now -> now.minus(earlier.cpu.orElse(Duration.ZERO))),
                system.map(now -> now.minus(earlier.system.orElse(Duration.ZERO))),
                peakMemoryBytes);
    }

    /** Whether the process was alive when it was sampled. */
    public boolean isKnown() {
        return cpu.isPresent();
    }

    /** The total of two spans of time, with the higher memory peak; if only one is known, that one. */
    public ProcessUsage plus(ProcessUsage later) {
        return new ProcessUsage(
                either(cpu, later.cpu, Duration::plus),
                either(system, later.system, Duration::plus),
                either(peakMemoryBytes, later.peakMemoryBytes, Math::max));
    }

    private static <T> Optional<T> either(Optional<T> one, Optional<T> other, BinaryOperator<T> both) {
        return one.isPresent() && other.isPresent()
                ? Optional.of(both.apply(one.get(), other.get()))
                : one.or(() -> other);
    }

    private static Duration ticks(String field) {
        return Duration.ofMillis(Long.parseLong(field) * MILLIS_PER_TICK);
    }

    private static Optional<Long> peakMemory(Path proc) throws IOException {
        return Files.readAllLines(proc.resolve("status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .map(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst();
    }
}
