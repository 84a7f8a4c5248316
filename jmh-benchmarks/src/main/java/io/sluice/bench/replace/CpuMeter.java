package io.sluice.bench.replace;

import io.sluice.harness.cluster.ProcessUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What processes use from now on, as the kernel counts it: in hundredths of a second. Immutable. */
final class CpuMeter {
    private static final double NANOS_PER_SECOND = 1e9;

    private final List<Supplier<ProcessUsage>> processes;
    private final List<ProcessUsage> before;

    private CpuMeter(List<Supplier<ProcessUsage>> processes, List<ProcessUsage> before) {
        this.processes = List.copyOf(processes);
        this.before = List.copyOf(before);
    }

    static CpuMeter start(List<Supplier<ProcessUsage>> processes) {
        return new CpuMeter(processes, processes.stream().map(Supplier::get).toList());
    }

    static CpuMeter ofHandles(List<ProcessHandle> processes) {
        List<Supplier<ProcessUsage>> usages = new ArrayList<>();
        processes.forEach(process -> usages.add(() -> ProcessUsage.of(process)));
        return start(usages);
    }

    /** Seconds of all of them together, user and system, since the start; of one that has ended nothing is known. */
    double seconds() {
        double seconds = 0;
        for (int i = 0; i < processes.size(); i++) {
            ProcessUsage now = processes.get(i).get();
            seconds += now.isKnown() ? seconds(now.since(before.get(i))) : 0;
        }
        return seconds;
    }

    private static double seconds(ProcessUsage usage) {
        return usage.cpu().orElse(Duration.ZERO).toNanos() / NANOS_PER_SECOND;
    }
}
