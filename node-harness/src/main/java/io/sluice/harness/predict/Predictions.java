package io.sluice.harness.predict;

import io.sluice.harness.report.Bytes;
import io.sluice.simulation.fluid.Prediction;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All that was asked, answered: what {@code --json} prints. Immutable.
 *
 * @param expansion one for each node that joins
 * @param published the shapes of the published measurement, by instance type
 * @param checks measured runs, predicted
 */
public record Predictions(
        Optional<Assumptions> assumptions,
        Optional<Calibration> calibration,
        Optional<Prediction> replacement,
        List<Prediction> expansion,
        List<Instance> published,
        List<MeasuredRun.Comparison> checks) {
    private static final int MAX_JOINS = 5;

    /** What the cluster is like. */
    public record Assumptions(
            int nodes,
            int vnodes,
            int racks,
            int replicationFactor,
            long dataPerNodeBytes,
            long sstableBytes,
            int connections,
            double nicBytesPerSecond,
            double diskBytesPerSecond,
            double cores,
            double sendCpuSecondsPerGigabyte,
            double receiveCpuSecondsPerGigabyte) {}

    /** A type of instance, and the replacement of a node on a cluster of it. */
    public record Instance(String type, int cores, Prediction prediction) {}

    public Predictions {
        expansion = List.copyOf(expansion);
        published = List.copyOf(published);
        checks = List.copyOf(checks);
    }

    /** For people. */
    public void print(PrintStream out) {
        assumptions.ifPresent(cluster -> out.printf(
                Locale.ROOT,
                "%,d nodes, %d token%s each, %d rack%s, RF %d; %s per node in SSTables of %s; %s, disks of %.2f GB/s, %.0f cores;%n"
                        + "%.2f s of a core to send a GB, %.2f s to receive, check and write it%s.%n%n",
                cluster.nodes(),
                cluster.vnodes(),
                cluster.vnodes() == 1 ? "" : "s",
                cluster.racks(),
                cluster.racks() == 1 ? "" : "s",
                cluster.replicationFactor(),
                Bytes.text(cluster.dataPerNodeBytes()),
                Bytes.text(cluster.sstableBytes()),
                LinkRate.bits(cluster.nicBytesPerSecond()),
                cluster.diskBytesPerSecond() / 1e9,
                cluster.cores(),
                cluster.sendCpuSecondsPerGigabyte(),
                cluster.receiveCpuSecondsPerGigabyte(),
                calibration.isPresent() ? " (measured)" : ""));
        replacement.ifPresent(prediction -> print("Replace a dead node", prediction, out));
        for (int i = 0; i < Math.min(MAX_JOINS, expansion.size()); i++) {
            print("Join of node " + (i + 1) + " of " + expansion.size(), expansion.get(i), out);
        }
        if (expansion.size() > 1) {
            out.printf(
                    "Expansion by %d nodes, one after another: %s%n",
                    expansion.size(),
                    time(expansion.stream().mapToDouble(Prediction::seconds).sum()));
        }
        printPublished(out);
        printChecks(out);
    }

    private static void print(String what, Prediction prediction, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%s: %s%s%n  %s in %,d SSTables from %d nodes in %d sessions, %s on average; the planner alone says %s.%n",
                what,
                time(prediction.seconds()),
                prediction.failure().map(why -> ", and it FAILS: " + why).orElse(""),
                Bytes.text(prediction.bytes()),
                prediction.sstables(),
                prediction.sources(),
                prediction.sessions(),
                LinkRate.bits((double) prediction.bytes() / prediction.seconds()),
                time(prediction.plannedSeconds()));
        prediction
                .lost()
                .ifPresent(lost -> out.println("  " + lost
                        + " died on the way; after the retries of its session other replicas sent what it had to."));
        out.println("  Busiest: " + busiest(prediction));
        out.println();
    }

    private static String busiest(Prediction prediction) {
        return prediction.busiest().stream()
                .map(busy -> String.format(Locale.ROOT, "%s %.0f %%", busy.resource(), 100 * busy.share()))
                .collect(Collectors.joining(", "));
    }

    private void printPublished(PrintStream out) {
        if (published.isEmpty()) {
            return;
        }
        out.println(
                "Published (Netflix, 2019): 6 nodes, 500 GB each, one token each, leveled SSTables, one is replaced.");
        for (Instance instance : published) {
            out.printf(
                    Locale.ROOT,
                    "  %-8s %2d cores: %s, %s%n",
                    instance.type(),
                    instance.cores(),
                    time(instance.prediction().seconds()),
                    busiest(instance.prediction()));
        }
        out.println(
                "What was published in words: the time is nearly the same on all four types, not bound by the CPU,");
        out.println(
                "and \"down to few minutes\" in some situations. The times themselves were published as a picture only.");
        out.println();
    }

    private void printChecks(PrintStream out) {
        if (checks.isEmpty()) {
            return;
        }
        calibration.ifPresent(measured -> out.printf(
                Locale.ROOT,
                "This machine, by the calibration: %.0f MB/s in all, %.2f s before the first byte, %.2f s after the last;%n"
                        + "%.2f s of CPU to send a GB, %.2f s to receive it.%n",
                measured.bytesPerSecond() / 1e6,
                measured.start(),
                measured.tail(),
                measured.sendCpu() * 1e9,
                measured.receiveCpu() * 1e9));
        for (MeasuredRun.Comparison check : checks) {
            out.printf(
                    Locale.ROOT,
                    "  %s: %s predicted %.2f s : measured %.2f s (%+.0f %%)%n",
                    check.run(),
                    Bytes.text(check.bytes()),
                    check.predictedSeconds(),
                    check.measuredSeconds(),
                    100 * check.error());
        }
    }

    private static String time(double seconds) {
        long whole = Math.round(seconds);
        if (whole < 60) {
            return String.format(Locale.ROOT, "%.2f s", seconds);
        }
        return whole < 3600
                ? String.format(Locale.ROOT, "%d min %d s", whole / 60, whole % 60)
                : String.format(Locale.ROOT, "%d h %d min", whole / 3600, whole / 60 % 60);
    }
}
