package io.sluice.harness.predict;

import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.RunReport.Sample;
import io.sluice.simulation.fluid.Hardware;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * What a measured run says of the machine that it ran on. Immutable. Times in seconds.
 *
 * @param sendCpu of one core for a byte sent
 * @param receiveCpu of one core for a byte received
 * @param start until the first bytes are there
 * @param tail from the last byte until everything is live
 * @param bytesPerSecond what the whole machine moved, between a tenth and nine tenths of the bytes
 */
public record Calibration(double sendCpu, double receiveCpu, double start, double tail, double bytesPerSecond) {
    private static final double FROM = 0.1;
    private static final double TO = 0.9;

    /**
     * The median of what several runs say.
     *
     * @throws IllegalArgumentException if one of them was not installed, or has no samples
     */
    public static Calibration of(List<RunReport> runs) {
        List<Calibration> all = runs.stream().map(Calibration::of).toList();
        return new Calibration(
                median(all, Calibration::sendCpu),
                median(all, Calibration::receiveCpu),
                median(all, Calibration::start),
                median(all, Calibration::tail),
                median(all, Calibration::bytesPerSecond));
    }

    private static double median(List<Calibration> all, ToDoubleFunction<Calibration> value) {
        double[] sorted = all.stream().mapToDouble(value).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static Calibration of(RunReport run) {
        RunReport.Transfer transfer = run.transfer()
                .filter(moved -> moved.bytes() > 0 && run.samples().size() > 2)
                .orElseThrow(() -> new IllegalArgumentException(
                        run.title() + ": nothing was streamed (expected: a report of a run that moved data)"));
        List<Sample> samples = run.samples();
        Sample first = samples.get(firstWith(samples, 1));
        Sample from = samples.get(Math.max(0, firstWith(samples, FROM * transfer.bytes()) - 1));
        Sample to = samples.get(firstWith(samples, TO * transfer.bytes()));
        if (to.seconds() - from.seconds() < transfer.seconds() / 4) {
            // Too few samples in between to measure by: take all of it, and what was spent on starting with it.
            from = samples.get(0);
            to = samples.get(samples.size() - 1);
        }
        Sample last = samples.get(firstWith(samples, (double) transfer.bytes()));
        long bytes = Math.max(1, received(to) - received(from));
        Set<String> receivers =
                run.results().stream().map(RunReport.Result::node).collect(Collectors.toSet());
        double receiveCpu = 0;
        double sendCpu = 0;
        for (String node : to.cpuSeconds().keySet()) {
            double spent = to.cpuSeconds().get(node) - from.cpuSeconds().getOrDefault(node, 0.0);
            if (receivers.contains(node)) {
                receiveCpu += spent / bytes;
            } else {
                sendCpu += spent / bytes;
            }
        }
        return new Calibration(
                sendCpu,
                receiveCpu,
                Math.max(0, samples.get(Math.max(0, samples.indexOf(first) - 1)).seconds()),
                Math.max(0, transfer.seconds() - last.seconds()),
                bytes / (to.seconds() - from.seconds()));
    }

    private static int firstWith(List<Sample> samples, double bytes) {
        for (int i = 0; i < samples.size(); i++) {
            if (received(samples.get(i)) >= bytes) {
                return i;
            }
        }
        return samples.size() - 1;
    }

    private static long received(Sample sample) {
        return new ArrayList<>(sample.receivedBytes().values())
                .stream().mapToLong(Long::longValue).sum();
    }

    /** Nodes that all share the machine of the calibration. */
    public Hardware sharedMachine() {
        double infinite = Double.POSITIVE_INFINITY;
        return new Hardware(
                infinite, infinite, infinite, infinite, 0, 0, 0.0002, start, 0, tail, infinite, bytesPerSecond);
    }
}
