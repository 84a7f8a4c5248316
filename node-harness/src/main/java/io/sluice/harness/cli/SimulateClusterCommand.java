package io.sluice.harness.cli;

import io.sluice.harness.json.Json;
import io.sluice.harness.predict.Calibration;
import io.sluice.harness.predict.ClusterModel;
import io.sluice.harness.predict.Layout;
import io.sluice.harness.predict.LinkRate;
import io.sluice.harness.predict.MeasuredRun;
import io.sluice.harness.predict.Predictions;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.RunReport;
import io.sluice.simulation.fluid.Hardware;
import io.sluice.simulation.fluid.Prediction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./sluice simulate-cluster}. Not thread-safe. */
@Command(
        name = "simulate-cluster",
        mixinStandardHelpOptions = true,
        description = {
            "Predicts how long it takes to replace a node of a large cluster, and to expand it.",
            "In production code: the planner, the coordinator of each plan with its retries and failover, and both ends "
                    + "of each session with their windows, messages and deadlines. Modelled: networks, disks and cores as "
                    + "fluids that connections share fairly; data as SSTables of one size, evenly spread; what a byte "
                    + "costs a core, and how long SSTables take to stage and install, from figures measured here or, "
                    + "with --calibrate, from your own run. Not modelled: clients' load, compaction, the switches "
                    + "between nodes."
        },
        footer = {
            "",
            "Examples:",
            "  ./sluice simulate-cluster --nodes 1000 --data-per-node 4TiB --nic 25Gbit --disk 2GB/s",
            "  ./sluice simulate-cluster --nodes 1000 --data-per-node 4TiB --join 20 --throughput 200MiB/s",
            "  ./sluice simulate-cluster --nodes 100 --data-per-node 1TiB --lose-source-at 0.5",
            "  ./sluice simulate-cluster --calibrate a/report.json --check b/report.json,c/report.json",
            "  ./sluice simulate-cluster --published",
            "docs/simulate-cluster.md says how well it predicts."
        })
final class SimulateClusterCommand implements Callable<Integer> {
    private static final long MIN_SSTABLE_BYTES = 1L << 20;
    private static final long MAX_SSTABLES = 2_000_000;
    private static final double MILLI = 1e-3;
    private static final long PUBLISHED_BYTES = 500_000_000_000L;
    private static final List<Integer> PUBLISHED_CORES = List.of(4, 8, 16, 32);
    private static final List<String> PUBLISHED_TYPES = List.of("i3.xl", "i3.2xl", "i3.4xl", "i3.8xl");

    @Option(names = "--nodes", paramLabel = "N", description = "2 to 10,000 (default: ${DEFAULT-VALUE}).")
    private int nodes = 1000;

    @Option(
            names = "--data-per-node",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "What each holds before the change, as 4TiB (the default).")
    private long dataPerNode = 4L << 40;

    @Option(
            names = "--nic",
            paramLabel = "RATE",
            converter = Link.class,
            description = "Network of each node, in each direction (default: 25Gbit).")
    private double nic = LinkRate.parse("25Gbit");

    @Option(
            names = "--disk",
            paramLabel = "RATE",
            converter = Link.class,
            description = "What the disks of a node read or write (default: 2GB/s).")
    private double disk = LinkRate.parse("2GB/s");

    @Option(names = "--cores", paramLabel = "N", description = "Cores of each node (default: ${DEFAULT-VALUE}).")
    private int cores = 16;

    @Option(names = "--vnodes", paramLabel = "N", description = "Tokens of each node (default: ${DEFAULT-VALUE}).")
    private int vnodes = 16;

    @Option(names = "--racks", paramLabel = "N", description = "Racks (default: ${DEFAULT-VALUE}).")
    private int racks = 3;

    @Option(names = "--replication-factor", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    private int replicationFactor = 3;

    @Option(
            names = "--sstable-size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Size of the SSTables; leveled compaction makes 160MiB (the default).")
    private long sstableBytes = 160L << 20;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Data connections of each session, as streaming_connections_per_host (default: 1).")
    private int connections = 1;

    @Option(names = "--rtt", paramLabel = "MS", description = "Round trip in milliseconds (default: 0.5).")
    private double roundTripMillis = 0.5;

    @Option(
            names = "--throughput",
            paramLabel = "RATE",
            converter = Link.class,
            description = "Most that each node sends (default: no limit); also of the runs of --check.")
    private @Nullable Double throughput;

    @Option(names = "--join", paramLabel = "N", description = "How many nodes join (default: 1; 0 for none).")
    private int join = 1;

    @Option(
            names = "--lose-source-at",
            paramLabel = "SHARE",
            description =
                    "Of the replacement: when this share of the bytes has arrived, 0 to 1, a source dies for good.")
    private @Nullable Double loseSourceAt;

    @Option(
            names = "--calibrate",
            paramLabel = "REPORT.json",
            split = ",",
            description = "Measured runs (replace-node, run) that say what a byte costs; the median of several.")
    private List<Path> calibrate = new ArrayList<>();

    @Option(
            names = "--check",
            paramLabel = "REPORT.json",
            split = ",",
            description = "Predicts these measured runs in place of a cluster, and prints prediction : measured.")
    private List<Path> check = new ArrayList<>();

    @Option(
            names = "--published",
            description = "In place of a cluster: the shape of the measurement that Netflix published in 2019.")
    private boolean isPublished;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Reads {@code 25Gbit}. */
    static final class Link implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            try {
                return LinkRate.parse(text);
            } catch (IllegalArgumentException e) {
                throw new CommandLine.TypeConversionException(e.getMessage());
            }
        }
    }

    @Override
    public Integer call() throws IOException {
        Predictions answer;
        try {
            answer = answer();
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        if (json) {
            System.out.println(Json.MAPPER.writeValueAsString(answer));
        } else {
            answer.print(System.out);
        }
        boolean isWell = answer.replacement().flatMap(Prediction::failure).isEmpty()
                && answer.expansion().stream().allMatch(one -> one.failure().isEmpty());
        return (isWell ? ExitCode.OK : ExitCode.FAILED).number();
    }

    private Predictions answer() throws IOException {
        requireSane();
        Optional<Calibration> measured =
                calibrate.isEmpty() ? Optional.empty() : Optional.of(Calibration.of(reports(calibrate)));
        if (!check.isEmpty()) {
            return new Predictions(
                    Optional.empty(), measured, Optional.empty(), List.of(), List.of(), checks(measured));
        }
        Hardware hardware = hardware(measured);
        if (isPublished) {
            return new Predictions(
                    Optional.empty(), measured, Optional.empty(), List.of(), published(measured), List.of());
        }
        ClusterModel model = new ClusterModel(
                new Layout(nodes, vnodes, racks, replicationFactor), dataPerNode, sstableBytes, connections, hardware);
        OptionalDouble loss = loseSourceAt == null ? OptionalDouble.empty() : OptionalDouble.of(loseSourceAt);
        Prediction replacement = model.replace(loss);
        int[] done = {0};
        List<Prediction> expansion = model.expand(join, each -> tellProgress(++done[0]));
        return new Predictions(
                Optional.of(new Predictions.Assumptions(
                        nodes,
                        vnodes,
                        racks,
                        replicationFactor,
                        dataPerNode,
                        sstableBytes,
                        connections,
                        nic,
                        disk,
                        cores,
                        hardware.sendCpu() * 1e9,
                        hardware.receiveCpu() * 1e9)),
                measured,
                Optional.of(replacement),
                expansion,
                List.of(),
                List.of());
    }

    private void requireSane() {
        if (sstableBytes < MIN_SSTABLE_BYTES || sstableBytes > 1L << 40) {
            throw new IllegalArgumentException("--sstable-size: " + sstableBytes + " (expected: 1MiB to 1TiB)");
        }
        if (dataPerNode / sstableBytes > MAX_SSTABLES || dataPerNode < MIN_SSTABLE_BYTES) {
            throw new IllegalArgumentException("--data-per-node: " + dataPerNode + " (expected: 1MiB to " + MAX_SSTABLES
                    + " SSTables of " + sstableBytes + ")");
        }
        if (connections < 1 || connections > 32 || join < 0 || join > nodes * 10 || cores < 1) {
            throw new IllegalArgumentException("--connections " + connections + ", --join " + join + ", --cores "
                    + cores + " (expected: 1 to 32, 0 to ten times the nodes, at least 1)");
        }
        if (!(roundTripMillis >= 0 && roundTripMillis <= 10_000)
                || (loseSourceAt != null && !(loseSourceAt >= 0 && loseSourceAt < 1))) {
            throw new IllegalArgumentException("--rtt " + roundTripMillis + ", --lose-source-at " + loseSourceAt
                    + " (expected: 0 to 10000, 0 to less than 1)");
        }
    }

    private Hardware hardware(Optional<Calibration> measured) {
        Hardware plain = throttled(Hardware.of(nic, disk, cores)).withRoundTrip(roundTripMillis * MILLI);
        return measured.map(cost -> plain.withCpu(cost.sendCpu(), cost.receiveCpu()))
                .orElse(plain);
    }

    private Hardware throttled(Hardware hardware) {
        return throughput == null ? hardware : hardware.throttledTo(throughput);
    }

    /** i3 instances have networks of up to 10 Gbit/s, whatever their size. */
    private List<Predictions.Instance> published(Optional<Calibration> measured) {
        List<Predictions.Instance> all = new ArrayList<>();
        for (int i = 0; i < PUBLISHED_TYPES.size(); i++) {
            Hardware plain = throttled(Hardware.of(LinkRate.parse("10Gbit"), disk, PUBLISHED_CORES.get(i)));
            Hardware hardware = measured.map(cost -> plain.withCpu(cost.sendCpu(), cost.receiveCpu()))
                    .orElse(plain);
            Prediction prediction = new ClusterModel(
                            new Layout(6, 1, 1, 3), PUBLISHED_BYTES, 160L << 20, connections, hardware)
                    .replace(OptionalDouble.empty());
            all.add(new Predictions.Instance(PUBLISHED_TYPES.get(i), PUBLISHED_CORES.get(i), prediction));
        }
        return all;
    }

    private List<MeasuredRun.Comparison> checks(Optional<Calibration> measured) throws IOException {
        Hardware hardware = throttled(measured.orElseThrow(() -> new IllegalArgumentException(
                        "--check without --calibrate (expected: reports of other runs on the same machine)"))
                .sharedMachine());
        List<MeasuredRun.Comparison> all = new ArrayList<>();
        for (Path file : check) {
            all.add(new MeasuredRun(file.toString(), report(file)).compare(hardware));
        }
        return all;
    }

    private static List<RunReport> reports(List<Path> files) throws IOException {
        List<RunReport> all = new ArrayList<>();
        for (Path file : files) {
            all.add(report(file));
        }
        return all;
    }

    private static RunReport report(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(file + ": no such file (expected: report.json of a run)");
        }
        return Json.MAPPER.readValue(file.toFile(), RunReport.class);
    }

    private void tellProgress(int joined) {
        if (Boolean.getBoolean("sluice.terminal") && !json) {
            System.err.printf("\r%d of %d joins predicted%s", joined, join, joined == join ? "\r\033[K" : "");
        }
    }
}
