package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.json.Json;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.ReportDiff;
import io.sluice.harness.report.ReportDiff.Difference;
import io.sluice.harness.report.ReportDiff.Figure;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.Spread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportCommandTest {
    @TempDir
    private Path temporary = Path.of("");

    private final StringWriter err = new StringWriter();

    private int diff(Path a, Path b, String... more) {
        return Main.commandLine("report", "diff")
                .setErr(new PrintWriter(err))
                .execute(Stream.concat(Stream.of("report", "diff", a.toString(), b.toString()), Arrays.stream(more))
                        .toArray(String[]::new));
    }

    private Path written(String name, RunReport report) throws IOException {
        Path file = temporary.resolve(name);
        Json.MAPPER.writeValue(file.toFile(), report);
        return file;
    }

    private static ReportDiff diff(RunReport a, RunReport b) {
        return ReportDiff.of(new ReportDiff.Run("a.json", a), new ReportDiff.Run("b.json", b));
    }

    @Test
    void two_runs_become_a_page_beside_the_second() throws Exception {
        Path a = written("a.json", SampleReports.verified(2, "whole"));
        Path b = written("b.json", SampleReports.verified(5, "rows"));

        assertThat(diff(a, b)).isZero();

        assertThat(Files.readString(temporary.resolve("report-diff.html")))
                .contains("\"a.json\"", "\"b.json\"", "What they did")
                .doesNotContain("src=", "href=");
    }

    @Test
    void figures_have_ratios_and_differences_are_named() throws Exception {
        ReportDiff diff = diff(SampleReports.verified(2, "whole"), SampleReports.verified(5, "rows"));

        assertThat(diff.figures())
                .contains(
                        new Figure("result", "verified", "verified", Optional.empty()),
                        new Figure("streaming time", "2.00 s", "5.00 s", Optional.of(2.5)),
                        new Figure("mode", "whole", "rows", Optional.empty()));
        assertThat(diff.differences()).isEmpty();
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        diff.print(new PrintStream(text, true, StandardCharsets.UTF_8));
        assertThat(text.toString(StandardCharsets.UTF_8))
                .containsPattern("streaming time +2\\.00 s +5\\.00 s +2\\.50")
                .contains("asked for the same");
    }

    /** As the text and the page of one run count them. */
    @Test
    void sstables_that_were_offered_twice_count_once() throws Exception {
        RunReport once = SampleReports.verified(2, "whole");

        assertThat(diff(once, SampleReports.offeredTwice(once)).figures())
                .contains(new Figure("SSTables", "2", "2", Optional.of(1.0)));
    }

    @Test
    void of_several_runs_the_medians_are_compared() throws Exception {
        RunReport a = SampleReports.verified(2, "whole").repeated(Spread.of(List.of(1.0, 2.0, 4.0)), Optional.empty());
        RunReport b = SampleReports.verified(9, "whole").repeated(Spread.of(List.of(6.0, 6.0, 9.0)), Optional.empty());

        assertThat(diff(a, b).figures())
                .contains(new Figure("streaming time, median of 3 and 3 runs", "2.00 s", "6.00 s", Optional.of(3.0)));
    }

    @Test
    void times_of_a_run_that_failed_or_was_too_short_have_no_ratio() throws Exception {
        ReportDiff failed = diff(SampleReports.verified(2, "whole"), SampleReports.failed(5));
        ReportDiff quick = diff(SampleReports.verified(2, "whole"), SampleReports.verified(0.5, "whole"));

        assertThat(failed.figures())
                .contains(
                        new Figure("result", "verified", "failed", Optional.empty()),
                        new Figure("streaming time", "2.00 s", "5.00 s", Optional.empty()));
        assertThat(quick.figures()).contains(new Figure("streaming time", "2.00 s", "0.50 s", Optional.empty()));
        assertThat(quick.figures()).extracting(Figure::name).doesNotContain("mean rate");
    }

    @Test
    void a_setting_that_differs_is_a_difference() throws Exception {
        RunReport a = SampleReports.verified(2, "whole");
        RunReport b = Json.MAPPER.readValue(
                Json.MAPPER
                        .writeValueAsString(a)
                        .replace("\"settings\" : { }", "\"settings\" : {\"compaction\" : \"leveled\"}"),
                RunReport.class);

        assertThat(diff(a, b).differences()).containsExactly(new Difference("compaction", "", "leveled"));
    }

    @Test
    void whatever_was_asked_for_differently_is_a_difference() throws Exception {
        RunReport a = SampleReports.verified(2, "whole");
        RunReport b = Json.MAPPER.readValue(
                Json.MAPPER.writeValueAsString(a).replace("\"options\" : { }", "\"options\" : {\"tls\" : \"true\"}"),
                RunReport.class);

        assertThat(diff(a, b).differences()).containsExactly(new Difference("tls", "", "true"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "[1]", "{\"sources\": [], \"environment\": {}}", "not json", "null"})
    void what_is_no_report_is_refused_in_one_sentence(String text) throws Exception {
        Path a = written("a.json", SampleReports.verified(2, "whole"));
        Path b = Files.writeString(temporary.resolve("b.json"), text);

        assertThat(diff(a, b)).isEqualTo(ExitCode.WRONG_USAGE.number());

        assertThat(err.toString())
                .startsWith("sluice: " + b + ": is not the report of a run")
                .hasLineCount(1)
                .doesNotContain("Exception", "io.sluice", "java.");
    }

    @Test
    void files_that_cannot_be_read_or_written_are_named() throws Exception {
        Path a = written("a.json", SampleReports.verified(2, "whole"));

        assertThat(diff(a, temporary)).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(diff(a, temporary.resolve("none.json"))).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(diff(a, a, "--report", temporary.resolve("none/page.html").toString()))
                .isEqualTo(ExitCode.WRONG_USAGE.number());

        assertThat(err.toString())
                .contains("none.json: cannot be read")
                .contains("page.html: cannot be written (expected: a file in a folder that exists)");
    }
}
