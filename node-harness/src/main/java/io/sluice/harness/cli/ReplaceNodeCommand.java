package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.ScenarioFile;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.load.Consistency;
import io.sluice.harness.plan.PlanView;
import io.sluice.harness.report.ReplaceReport;
import io.sluice.harness.report.TextReport;
import io.sluice.harness.scenario.Audience;
import io.sluice.harness.scenario.ReplaceOptions;
import io.sluice.harness.scenario.ReplaceOptions.Dataset;
import io.sluice.harness.scenario.ReplaceOptions.Load;
import io.sluice.harness.scenario.ReplaceScenario;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./sluice replace-node}: the main job. Not thread-safe. */
@Command(
        name = "replace-node",
        mixinStandardHelpOptions = true,
        description = "Starts a cluster, kills a node, streams its tables whole to a replacement, and verifies them.")
final class ReplaceNodeCommand implements Callable<Integer> {
    private static final int DEFAULT_NODES = 3;
    private static final int DEFAULT_REPLICATION_FACTOR = 3;
    private static final long DEFAULT_SIZE_BYTES = 1L << 30;

    @Option(names = "--nodes", paramLabel = "N", description = "Members of the cluster (default: 3).")
    private @Nullable Integer nodes;

    @Option(names = "--replication-factor", paramLabel = "N", description = "Replicas of each range (default: 3).")
    private @Nullable Integer replicationFactor;

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

    @Option(names = "--load", paramLabel = "N", description = "Writes per second while the node is replaced.")
    private @Nullable Integer load;

    @Option(
            names = "--consistency",
            paramLabel = "LEVEL",
            description = "How many replicas must have a write of --load: ONE or QUORUM (default).")
    private Consistency consistency = Consistency.QUORUM;

    @Option(names = "--scenario", paramLabel = "FILE", description = "These options as YAML; the command line wins.")
    private @Nullable Path scenario;

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Data, logs and reports of the nodes (default: work in Sluice's folder).")
    private @Nullable Path workDir;

    @Option(names = "--dry-run", description = "Shows the plan, and starts nothing.")
    private boolean dryRun;

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the report here.")
    private @Nullable Path json;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            defaultValue = "${sys:sluice.home:-.}/conf/sluice.yaml",
            description = "Settings of streaming (default: conf/sluice.yaml).")
    private Path config = Path.of("conf", "sluice.yaml");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        SluiceConfig settings = SluiceConfig.read(config);
        ScenarioFile file = scenario == null ? ScenarioFile.NONE : ScenarioFile.read(scenario);
        ReplaceOptions options = options(file);
        requireFolderOf(json);
        try (WorkDirectory work = WorkDirectory.open(workDirectory(file))) {
            LogFile.at(work.log());
            if (dryRun) {
                PlanView.print(ReplaceScenario.plan(options, work, settings, audience(work)), System.out);
                return ExitCode.OK.number();
            }
            ReplaceReport report = ReplaceScenario.run(options, work, settings, audience(work));
            if (json != null) {
                Files.copy(work.report(), json, StandardCopyOption.REPLACE_EXISTING);
            }
            TextReport.print(report, System.out);
            System.out.println("Report: " + work.report());
            if (report.failure().isPresent()) {
                System.err.println("sluice: " + report.failure().get() + " (logs: " + work.root() + ")");
            }
            return (report.verified() ? ExitCode.OK : ExitCode.FAILED).number();
        }
    }

    /** Found out now, not when the work is done and nothing can be said of it any more. */
    private static void requireFolderOf(@Nullable Path report) {
        if (report == null) {
            return;
        }
        Path folder = report.toAbsolutePath().getParent();
        if (folder == null || !Files.isWritable(folder) || Files.isDirectory(report)) {
            throw new ConfigException(
                    "--json " + report + ": cannot be written (expected: a file in a folder that exists)");
        }
    }

    private static Audience audience(WorkDirectory work) {
        boolean isTerminal = Boolean.getBoolean("sluice.terminal");
        return new Audience(System.out, isTerminal, () -> {
            System.err.println("sluice: cancelled, all nodes are stopped (logs: " + work.root() + ")");
            // This is a shutdown hook already: only halt still decides the exit code.
            Runtime.getRuntime().halt(ExitCode.CANCELLED.number());
        });
    }

    private ReplaceOptions options(ScenarioFile file) {
        try {
            return new ReplaceOptions(
                    or(nodes, file.nodes()).orElse(DEFAULT_NODES),
                    or(replicationFactor, file.replicationFactor()).orElse(DEFAULT_REPLICATION_FACTOR),
                    dataset(file),
                    or(load, file.load()).map(rate -> new Load(rate, consistency)));
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private Path workDirectory(ScenarioFile file) {
        return or(workDir, file.workDir()).orElseGet(() -> Path.of(System.getProperty("sluice.home", "."), "work"));
    }

    private Dataset dataset(ScenarioFile file) {
        if (data != null && size != null) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--data and --size: give one of them (--size is for generated data)");
        }
        Optional<Path> existing = size == null ? or(data, file.data()) : Optional.empty();
        return existing.<Dataset>map(directory ->
                        new Dataset.Existing(directory.toAbsolutePath().normalize()))
                .orElseGet(() -> new Dataset.Generated(or(size, file.size()).orElse(DEFAULT_SIZE_BYTES)));
    }

    private static <T> Optional<T> or(@Nullable T option, Optional<T> file) {
        return option == null ? file : Optional.of(option);
    }
}
