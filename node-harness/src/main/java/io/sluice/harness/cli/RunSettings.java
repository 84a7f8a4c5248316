package io.sluice.harness.cli;

import io.sluice.harness.cluster.LinkOptions;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.ScenarioFile;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.config.ScenarioFile.SSTables;
import io.sluice.harness.fault.SmallDisk;
import io.sluice.harness.load.Consistency;
import io.sluice.harness.report.ExpectedEnd;
import io.sluice.harness.scenario.Chaos;
import io.sluice.harness.scenario.ScenarioOptions;
import io.sluice.harness.scenario.ScenarioOptions.Dataset;
import io.sluice.harness.scenario.ScenarioOptions.FaultPhase;
import io.sluice.harness.scenario.ScenarioOptions.Load;
import io.sluice.harness.scenario.Shape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of all commands that run a scenario: each wins over the same key of a file. Not thread-safe. */
final class RunSettings {
    private static final int DEFAULT_REPLICATION_FACTOR = 3;
    private static final long DEFAULT_SIZE_BYTES = 1L << 30;
    private static final long CHAOS_SIZE_BYTES = 32L << 20;
    private static final long CHAOS_BYTES_PER_SECOND = 4L << 20;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Members of the cluster (default: 3; 4 if one leaves or moves).")
    private @Nullable Integer nodes;

    @Option(
            names = "--replication-factor",
            paramLabel = "N",
            description = "Replicas of each range, in each data centre (default: 3).")
    private @Nullable Integer replicationFactor;

    @Option(
            names = "--dcs",
            paramLabel = "NAMES",
            split = ",",
            description = "Data centres; nodes are dealt out to them in turn (default: one).")
    private List<String> dcs = new ArrayList<>();

    @Option(names = "--racks", paramLabel = "N", description = "Racks in each data centre (default: 1).")
    private @Nullable Integer racks;

    @Option(names = "--vnodes", paramLabel = "N", description = "Tokens of each node (default: 1).")
    private @Nullable Integer vnodes;

    @Option(
            names = "--data-directories",
            paramLabel = "N",
            description = "Data directories of each node, each as a volume that may fail alone (default: 1).")
    private @Nullable Integer dataDirectories;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "How many nodes join, one after another, or tablets migrate (default: 1).")
    private @Nullable Integer count;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "SSTables to begin with, as Cassandra lays them out: <keyspace>/<table>-<id>/.")
    private @Nullable Path data;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Without --data: how much to generate (default: 1GiB).")
    private @Nullable Long size;

    @Option(names = "--load", paramLabel = "N", description = "Writes per second while the cluster changes.")
    private @Nullable Integer load;

    @Option(
            names = "--consistency",
            paramLabel = "LEVEL",
            description = "How many replicas must have a write of --load: ONE or QUORUM (default).")
    private Consistency consistency = Consistency.QUORUM;

    @Option(
            names = "--throughput",
            paramLabel = "RATE",
            converter = RateConverter.class,
            description = "Most that each node sends, as 24MiB/s.")
    private @Nullable Long throughput;

    @Option(names = "--tls", description = "Nodes speak TLS 1.3 with each other, with certificates made for the run.")
    private boolean tls;

    @Option(
            names = "--chaos",
            paramLabel = "SEED",
            description =
                    "Random faults, the same for the same seed; if the operation fails of them, it is begun again"
                            + " without. With --repeat each run has the next seed. Little data, slowly, unless configured otherwise.")
    private @Nullable Long chaos;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    /** What to do in each of several runs, of the command line, a file, and defaults. */
    IntFunction<ScenarioOptions> options(Operation operation, ScenarioFile file) {
        Long seed = chaos;
        if (seed == null) {
            ScenarioOptions all = options(
                    operation,
                    file,
                    new FaultPhase(
                            file.faults(),
                            file.retries().orElse(0),
                            file.expect().orElse(ExpectedEnd.INSTALLED)));
            return run -> all;
        }
        return run -> {
            FaultPhase faults = Chaos.of(
                    seed + run, operation, SmallDisk.isPossible(), SmallDisk.isPossible() && directories(file) > 1);
            System.out.println("Chaos " + (seed + run) + ": "
                    + faults.faults().stream().map(Fault::describe).collect(Collectors.joining(", ")));
            return options(operation, file, faults);
        };
    }

    private ScenarioOptions options(Operation operation, ScenarioFile file, FaultPhase faults) {
        List<String> centres = dcs.isEmpty() ? file.dcs().orElse(List.of("datacenter1")) : dcs;
        int members = or(nodes, file.nodes()).orElse(defaultNodes(operation) * centres.size());
        try {
            Shape shape = new Shape(
                    members,
                    or(replicationFactor, file.replicationFactor()).orElse(DEFAULT_REPLICATION_FACTOR),
                    centres,
                    or(racks, file.racks()).orElse(1),
                    or(vnodes, file.vnodes()).orElse(1),
                    directories(file));
            return new ScenarioOptions(
                    operation,
                    shape,
                    or(count, file.count()).orElse(1),
                    file.strict().orElse(true),
                    dataset(file),
                    or(load, file.load()).map(rate -> new Load(rate, consistency)),
                    new LinkOptions(
                            tls || file.tls().orElse(false), file.namespaces().orElse(false), file.linkRate()),
                    faults);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private int directories(ScenarioFile file) {
        return or(dataDirectories, file.dataDirectories()).orElse(1);
    }

    private static int defaultNodes(Operation operation) {
        return switch (operation) {
            case DECOMMISSION, REMOVENODE, MOVE, TABLET_MIGRATION -> DEFAULT_REPLICATION_FACTOR + 1;
            default -> DEFAULT_REPLICATION_FACTOR;
        };
    }

    private Dataset dataset(ScenarioFile file) {
        if (data != null && size != null) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--data and --size: give one of them (--size is for generated data)");
        }
        Optional<Path> existing = size == null ? or(data, file.data()) : Optional.empty();
        boolean isSizeTiered =
                file.sstables().filter(SSTables.SIZE_TIERED::equals).isPresent();
        return existing.<Dataset>map(RunSettings::existing)
                .orElseGet(() -> new Dataset.Generated(
                        or(size, file.size()).orElse(chaos == null ? DEFAULT_SIZE_BYTES : CHAOS_SIZE_BYTES),
                        isSizeTiered));
    }

    private static Dataset existing(Path directory) {
        Path path = directory.toAbsolutePath().normalize();
        if (!Files.isDirectory(path)) {
            throw new ConfigException("--data " + path + ": no such folder (expected: SSTables)");
        }
        return new Dataset.Existing(path);
    }

    /** Keys of sluice.yaml that a scenario has values of its own for. */
    Map<String, String> settings(ScenarioFile file) {
        Map<String, String> settings = new LinkedHashMap<>();
        Optional<Long> rate = or(throughput, file.throughput());
        Optional<Integer> keepAlive = file.keepAlive();
        if (chaos != null) {
            // There must be time for something to go wrong, and none to wait for long until it is noticed.
            rate = rate.or(() -> Optional.of(CHAOS_BYTES_PER_SECOND));
            keepAlive = keepAlive.or(() -> Optional.of(1));
        }
        rate.ifPresent(
                limit -> settings.put("entire_sstable_stream_throughput_outbound", limit == 0 ? "0" : limit + "B/s"));
        keepAlive.ifPresent(seconds -> settings.put("streaming_keep_alive_period", seconds + "s"));
        return settings;
    }

    /**
     * The operation of a file.
     *
     * @throws ConfigException if it names none
     */
    static Operation operation(Path path, ScenarioFile file) {
        return file.operation()
                .orElseThrow(() -> new ConfigException(
                        path + ": no 'operation' (expected: one, as 'operation: replace-node'; see conf/scenarios)"));
    }

    private static <T> Optional<T> or(@Nullable T option, Optional<T> file) {
        return option == null ? file : Optional.of(option);
    }
}
