package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.ScenarioFile;
import io.sluice.harness.config.ScenarioFile.Baseline;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.plan.PlanView;
import io.sluice.harness.report.Dashboard;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.TextReport;
import io.sluice.harness.scenario.RunListeners;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.ScenarioOptions;
import io.sluice.harness.scenario.ScenarioRun;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.streaming.plan.TopologyPlan;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a run works, and who sees what of it: options of all commands that run a scenario. Not thread-safe. */
final class RunOutput {
    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Data, logs and reports of the nodes (default: work in Sluice's folder).")
    private @Nullable Path workDir;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description =
                    "The same N times: how long streaming takes, as median, quartiles, least and most (default: 1;"
                            + " 5 with --baseline).")
    private @Nullable Integer repeat;

    @Option(
            names = "--baseline",
            paramLabel = "rows",
            description = "Runs the same with every SSTable sent as rows, in turn, and reports the ratio of times.")
    private @Nullable Baseline baseline;

    @Option(
            names = "--dry-run",
            description =
                    "Shows the plan of each step, and starts nothing; data is generated all the same: plans are of it.")
    private boolean dryRun;

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the report here.")
    private @Nullable Path json;

    @Option(names = "--report", paramLabel = "FILE.html", description = "Also writes the page with pictures here.")
    private @Nullable Path page;

    @Option(names = "--dashboard", description = "Serves the page while it runs, on an address of this machine alone.")
    private boolean dashboard;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            defaultValue = "${sys:sluice.home:-.}/conf/sluice.yaml",
            description = "Settings of streaming (default: conf/sluice.yaml).")
    private Path config = Path.of("conf", "sluice.yaml");

    /** The settings of streaming. */
    SluiceConfig config() {
        return SluiceConfig.read(config);
    }

    /**
     * Runs what is asked for, as often as is asked for, and reports; the exit code. The first run that ends otherwise
     * than it should is the last.
     *
     * @param options of each run by its number, from 0 on
     * @param file what the command line leaves open
     */
    int run(IntFunction<ScenarioOptions> options, ScenarioFile file, SluiceConfig settings)
            throws IOException, InterruptedException, ScenarioException {
        Beside.forbid("--json", json != null, "--dry-run", dryRun);
        Beside.forbid("--report", page != null, "--dry-run", dryRun);
        RunSeries series = series(file, settings);
        try (WorkDirectory work = WorkDirectory.open(workDirectory(file.workDir()))) {
            LogFile.at(work.log());
            ScenarioOptions first = options.apply(0);
            if (dryRun) {
                print(ScenarioRun.plans(first, work, settings, listeners(work, report -> {})), System.out);
                return ExitCode.OK.number();
            }
            ScenarioRun.requirePossible(first, work, settings, listeners(work, report -> {}));
            ReportFile.begin("--json", json);
            ReportFile.begin("--report", page);
            RunReport report =
                    series.run((number, config) -> watched(number == 0 ? first : options.apply(number), work, config));
            ScenarioRun.write(report, work);
            copyTo(json, work.report());
            copyTo(page, work.page());
            TextReport.print(report, System.out);
            System.out.println("Report: " + work.page() + ", for programs " + work.report());
            if (report.failure().isPresent()) {
                boolean isGood = report.end().asExpected();
                (isGood ? System.out : System.err)
                        .println((isGood ? "Why: " : "sluice: ")
                                + report.failure().get() + " (logs: " + work.root() + ")");
            }
            return ExitCode.of(report).number();
        }
    }

    private static void print(List<TopologyPlan> steps, PrintStream out) {
        if (steps.isEmpty()) {
            out.println("What is streamed is known only when the nodes compare what they hold. Nothing was moved.");
        }
        for (int step = 0; step < steps.size(); step++) {
            if (steps.size() > 1) {
                out.println("Step " + (step + 1) + " of " + steps.size() + ":");
            }
            PlanView.print(steps.get(step), out);
        }
    }

    private RunSeries series(ScenarioFile file, SluiceConfig settings) {
        Optional<Baseline> comparedWith = Optional.ofNullable(baseline).or(file::baseline);
        int times = Optional.ofNullable(repeat).or(file::repeat).orElse(comparedWith.isPresent() ? RunSeries.PAIRS : 1);
        if (times < 1 || times > ScenarioFile.MAX_REPEATS) {
            throw new ConfigException("--repeat " + times + " (expected: 1 to " + ScenarioFile.MAX_REPEATS + ")");
        }
        return new RunSeries(times, settings, comparedWith, System.out);
    }

    private RunReport watched(ScenarioOptions options, WorkDirectory work, SluiceConfig settings)
            throws IOException, InterruptedException, ScenarioException {
        if (!dashboard) {
            return ScenarioRun.run(options, work, settings, listeners(work, report -> {}));
        }
        try (Dashboard live = Dashboard.start(0)) {
            System.out.println("Dashboard: " + live.address());
            return ScenarioRun.run(options, work, settings, listeners(work, live));
        }
    }

    private Path workDirectory(Optional<Path> ofFile) {
        return workDir == null
                ? ofFile.orElseGet(() -> Path.of(System.getProperty("sluice.home", "."), "work"))
                : workDir;
    }

    private static void copyTo(@Nullable Path wanted, Path written) throws IOException {
        if (wanted != null) {
            Files.copy(written, wanted, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Whoever sits at this terminal. */
    static RunListeners listeners(WorkDirectory work, Consumer<RunReport> watcher) {
        boolean isTerminal = Boolean.getBoolean("sluice.terminal");
        Runnable cancelled = () -> {
            System.err.println("sluice: cancelled, all nodes are stopped (logs: " + work.root() + ")");
            // This is a shutdown hook already: only halt still decides the exit code.
            Runtime.getRuntime().halt(ExitCode.CANCELLED.number());
        };
        return new RunListeners(System.out, isTerminal, cancelled, watcher);
    }
}
