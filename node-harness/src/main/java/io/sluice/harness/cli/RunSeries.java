package io.sluice.harness.cli;

import io.sluice.harness.config.ScenarioFile.Baseline;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.RunReport.Source;
import io.sluice.harness.report.RunReport.Transfer;
import io.sluice.harness.report.Spread;
import io.sluice.harness.scenario.ScenarioException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The same run several times, each beside a run of its baseline if it has one. Runs and baselines take turns in being
 * the first of their pair, so that a machine that becomes slower or faster favours neither. Not thread-safe; used once.
 */
final class RunSeries {
    /** How many pairs there are if nobody says: enough for quartiles. */
    static final int PAIRS = 5;

    private final int times;
    private final SluiceConfig config;
    private final Optional<Baseline> baseline;
    private final PrintStream out;
    private final List<Double> seconds = new ArrayList<>();
    private final List<Double> baselineSeconds = new ArrayList<>();
    private String baselineMode = "";

    /** Runs once. */
    interface Run {
        /**
         * Runs, and reports.
         *
         * @param number from 0 on; a run and its baseline have the same
         */
        RunReport with(int number, SluiceConfig config) throws IOException, InterruptedException, ScenarioException;
    }

    /**
     * A series that has not begun.
     *
     * @param times 1 or more
     * @param config of the runs; their baseline replaces some of it
     */
    RunSeries(int times, SluiceConfig config, Optional<Baseline> baseline, PrintStream out) {
        this.times = times;
        this.config = config;
        this.baseline = baseline;
        this.out = out;
    }

    /** Runs all of them; the report of the last run, or of the first that ended otherwise than it should. */
    RunReport run(Run run) throws IOException, InterruptedException, ScenarioException {
        for (int number = 0; ; number++) {
            boolean isBaselineFirst = number % 2 == 1;
            Optional<RunReport> failed = isBaselineFirst ? runBaseline(run, number) : Optional.empty();
            if (failed.isPresent()) {
                return failed.get();
            }
            RunReport report = run.with(number, config);
            say(number, "", report);
            boolean isGood = ExitCode.of(report) == ExitCode.OK;
            report.transfer().filter(any -> isGood).map(Transfer::seconds).ifPresent(seconds::add);
            failed = isGood && !isBaselineFirst ? runBaseline(run, number) : Optional.empty();
            if (failed.isPresent()) {
                return failed.get();
            }
            if (!isGood || number == times - 1) {
                return summarized(report);
            }
        }
    }

    /** The report of a baseline that failed; empty if it did not, or there is none. */
    private Optional<RunReport> runBaseline(Run run, int number)
            throws IOException, InterruptedException, ScenarioException {
        if (baseline.isEmpty()) {
            return Optional.empty();
        }
        RunReport report = run.with(number, config.with(baseline.get().settings()));
        say(number, ", baseline", report);
        report.transfer().map(Transfer::seconds).ifPresent(baselineSeconds::add);
        baselineMode = report.sources().stream()
                .filter(source -> source.bytes() > 0)
                .map(Source::mode)
                .distinct()
                .collect(Collectors.joining(", "));
        return ExitCode.of(report) == ExitCode.OK ? Optional.empty() : Optional.of(report);
    }

    private void say(int number, String which, RunReport report) {
        if (times > 1 || baseline.isPresent()) {
            String took = report.transfer()
                    .filter(transfer -> transfer.bytes() > 0)
                    .map(transfer -> String.format(Locale.ROOT, ", streamed in %.2f s", transfer.seconds()))
                    .orElse("");
            out.printf(
                    Locale.ROOT,
                    "Run %d of %d%s: %s%s%n",
                    number + 1,
                    times,
                    which,
                    report.end().state(),
                    took);
        }
    }

    private RunReport summarized(RunReport report) {
        if (seconds.isEmpty() || (times == 1 && baseline.isEmpty())) {
            return report;
        }
        // A baseline that went before a run which failed has no pair.
        int pairs = Math.min(seconds.size(), baselineSeconds.size());
        Optional<RunReport.Baseline> compared = baseline.filter(any -> pairs > 0)
                .map(with -> new RunReport.Baseline(
                        with.name().toLowerCase(Locale.ROOT),
                        baselineMode,
                        with.settings(),
                        Spread.of(baselineSeconds),
                        Spread.of(ratios(pairs))));
        return report.repeated(Spread.of(seconds), compared);
    }

    private List<Double> ratios(int pairs) {
        List<Double> ratios = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            ratios.add(baselineSeconds.get(pair) / seconds.get(pair));
        }
        return ratios;
    }
}
