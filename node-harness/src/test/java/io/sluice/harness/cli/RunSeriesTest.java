package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.config.ScenarioFile;
import io.sluice.harness.config.ScenarioFile.Baseline;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.TextReport;
import io.sluice.harness.scenario.RunListeners;
import io.sluice.harness.scenario.ScenarioOptions;
import io.sluice.harness.scenario.ScenarioRun;
import io.sluice.harness.scenario.WorkDirectory;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunSeriesTest {
    private static final SluiceConfig CONFIG = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"));

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final List<String> order = new ArrayList<>();

    private RunSeries series(int times, Optional<Baseline> baseline) {
        return new RunSeries(times, CONFIG, baseline, new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    private String terminal() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    private static boolean isBaseline(SluiceConfig config) {
        return "false".equals(config.texts().get("stream_entire_sstables"))
                && "false".equals(config.texts().get("stream_slices"));
    }

    @Test
    void runs_and_baselines_take_turns_in_being_first() throws Exception {
        RunReport last = series(3, Optional.of(Baseline.ROWS)).run((number, config) -> {
            order.add((isBaseline(config) ? "rows " : "run ") + number);
            return SampleReports.verified(
                    isBaseline(config) ? 4 * (number + 1) : 2 * (number + 1), isBaseline(config) ? "rows" : "whole");
        });

        assertThat(order).containsExactly("run 0", "rows 0", "rows 1", "run 1", "run 2", "rows 2");
        assertThat(last.transfer().orElseThrow().mode()).isEqualTo("whole");
        assertThat(last.repeats().orElseThrow().values()).containsExactly(2.0, 4.0, 6.0);
        RunReport.Baseline baseline = last.baseline().orElseThrow();
        assertThat(baseline.mode()).isEqualTo("rows");
        assertThat(baseline.seconds().values()).containsExactly(4.0, 8.0, 12.0);
        assertThat(baseline.ratio().values()).as("pair by pair").containsExactly(2.0, 2.0, 2.0);
        assertThat(terminal()).contains("Run 2 of 3, baseline: installed, streamed in 8.00 s");
    }

    /** The scenario of conf, with little data: processes, sockets and files are real. */
    @Test
    @Tag("full")
    void the_baseline_of_the_netflix_scenario_sends_rows(@TempDir Path temporary) throws Exception {
        ScenarioFile netflix = ScenarioFile.read(Path.of("..", "conf", "scenarios", "netflix-replace-6-nodes.yaml"));
        ScenarioOptions options = ScenarioOptions.replace(
                netflix.nodes().orElseThrow(),
                netflix.replicationFactor().orElseThrow(),
                new ScenarioOptions.Dataset.Generated(4 << 20));
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        try (WorkDirectory work = WorkDirectory.open(temporary.resolve("work"))) {
            RunReport last = series(2, netflix.baseline())
                    .run((number, config) ->
                            ScenarioRun.run(options, work, config, new RunListeners(nowhere, false, () -> {})));

            assertThat(last.failure()).isEmpty();
            assertThat(last.verified()).isTrue();
            assertThat(last.sources()).extracting(RunReport.Source::mode).containsOnly("slice");
            assertThat(last.repeats().orElseThrow().values()).hasSize(2);
            RunReport.Baseline baseline = last.baseline().orElseThrow();
            assertThat(baseline.mode()).isEqualTo("rows");
            assertThat(baseline.seconds().values()).hasSize(2);
            assertThat(baseline.ratio().values()).hasSize(2).allMatch(ratio -> ratio > 0);
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            TextReport.print(last, new PrintStream(text, true, StandardCharsets.UTF_8));
            assertThat(text.toString(StandardCharsets.UTF_8))
                    .contains("Baseline (rows: stream_entire_sstables: false, stream_slices: false), 2 runs: median")
                    .contains("Ratio, baseline to run, of 2 pairs: median");
        }
    }

    @Test
    void a_single_run_has_no_spread_and_says_nothing() throws Exception {
        RunReport report = series(1, Optional.empty()).run((number, config) -> SampleReports.verified(2, "whole"));

        assertThat(report.repeats()).isEmpty();
        assertThat(report.baseline()).isEmpty();
        assertThat(terminal()).isEmpty();
    }

    @Test
    void a_run_that_failed_before_anything_moved_has_no_streaming_time() throws Exception {
        RunReport failed = SampleReports.ofNothing(SampleReports.failed(9));

        series(2, Optional.empty()).run((number, config) -> failed);

        assertThat(terminal().strip()).isEqualTo("Run 1 of 2: failed");
    }

    @Test
    void the_first_run_that_fails_is_the_last() throws Exception {
        RunReport report = series(5, Optional.of(Baseline.ROWS)).run((number, config) -> {
            order.add((isBaseline(config) ? "rows " : "run ") + number);
            return number == 1 && !isBaseline(config) ? SampleReports.failed(9) : SampleReports.verified(2, "whole");
        });

        assertThat(order).containsExactly("run 0", "rows 0", "rows 1", "run 1");
        assertThat(report.failure()).isPresent();
        assertThat(report.repeats().orElseThrow().values())
                .as("not of the one that failed")
                .containsExactly(2.0);
        assertThat(report.baseline().orElseThrow().ratio().values()).containsExactly(1.0);
    }

    @Test
    void a_baseline_that_fails_is_what_is_reported() throws Exception {
        RunReport report = series(5, Optional.of(Baseline.ROWS))
                .run((number, config) ->
                        isBaseline(config) ? SampleReports.failed(9) : SampleReports.verified(2, "whole"));

        assertThat(report.failure()).isPresent();
        assertThat(terminal()).contains("Run 1 of 5, baseline: failed");
    }
}
