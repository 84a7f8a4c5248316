package io.sluice.bench.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.harness.json.Json;
import io.sluice.harness.report.HtmlReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is made of repetitions. */
class ReplaceResultTest {
    private static final long GIBIBYTE = 1L << 30;

    private static ReplaceResult.CaseResult sample() {
        Map<Contender, List<Replacement>> runs = new LinkedHashMap<>();
        runs.put(
                new SampleContender("Cassandra <5>", false, false),
                List.of(SampleContender.run(4, 3, 2), SampleContender.run(6, 3, 2), SampleContender.run(20, 3, 2)));
        runs.put(
                new SampleContender("Sluice", true, true),
                List.of(SampleContender.run(2, 1.5, 0), SampleContender.run(2, 1, 0.5), SampleContender.run(4, 2, 1)));
        List<ReplaceResult.Row> rows = ReplaceResult.rows(runs, GIBIBYTE);
        return new ReplaceResult.CaseResult(
                "whole", "two nodes", "bench.users", GIBIBYTE, 13, "abcd", rows, ReplaceResult.ratios(rows));
    }

    private static ReplaceResult result() {
        return new ReplaceResult(
                "./sluice compare", "Sluice", "2 processors", "2026-11-25T12:00:00Z", 0.25, 3, List.of(sample()));
    }

    @Test
    void a_ratio_is_taken_repetition_by_repetition_and_not_of_medians() {
        ReplaceResult.Ratio time = sample().ratios().get(0);

        assertThat(time.what()).isEqualTo("time, Cassandra <5> ÷ Sluice");
        assertThat(time.ratio().values()).containsExactly(2.0, 3.0, 5.0);
        assertThat(time.ratio().median()).isEqualTo(3.0);
    }

    @Test
    void less_cpu_than_the_kernel_counts_is_not_none() {
        ReplaceResult.Ratio sources = sample().ratios().get(2);

        assertThat(sources.ratio().values().get(0)).isCloseTo(200, within(1e-6));
    }

    @Test
    void cpu_that_the_clock_hardly_counts_makes_no_figure_and_no_ratio() {
        Map<Contender, List<Replacement>> runs = new LinkedHashMap<>();
        runs.put(new SampleContender("Cassandra", false, false), List.of(SampleContender.run(4, 3, 2)));
        runs.put(new SampleContender("Sluice", true, true), List.of(SampleContender.run(2, 1.5, 0.01)));
        List<ReplaceResult.Row> rows = ReplaceResult.rows(runs, GIBIBYTE / 4);
        List<ReplaceResult.Ratio> ratios = ReplaceResult.ratios(rows);
        ByteArrayOutputStream written = new ByteArrayOutputStream();

        ReplaceTable.print(
                new ReplaceResult(
                        "./sluice compare",
                        "Sluice",
                        "2 processors",
                        "2026-11-25T12:00:00Z",
                        0.25,
                        1,
                        List.of(new ReplaceResult.CaseResult(
                                "whole", "two nodes", "bench.users", GIBIBYTE / 4, 13, "abcd", rows, ratios))),
                new PrintStream(written, true, StandardCharsets.UTF_8));

        assertThat(ratios)
                .extracting(ReplaceResult.Ratio::what)
                .containsExactly("time, Cassandra ÷ Sluice", "CPU of the receiver, Cassandra ÷ Sluice");
        assertThat(written.toString(StandardCharsets.UTF_8))
                .contains(" < 0.12 ")
                .doesNotContain("0.04 (");
    }

    @Test
    void rates_and_cpu_are_of_what_the_dead_node_held() {
        ReplaceResult.Row first = sample().rows().get(0);

        assertThat(first.mebibytesPerSecond().values()).containsExactly(256.0, 1024.0 / 6, 51.2);
        assertThat(first.receiverCpuPerGibibyte().median()).isEqualTo(3.0);
        assertThat(first.normalSeconds()).isEmpty();
    }

    @Test
    void the_table_says_who_verified_and_how_far_repetitions_lie_apart() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();

        ReplaceTable.print(result(), new PrintStream(written, true, StandardCharsets.UTF_8));

        assertThat(written.toString(StandardCharsets.UTF_8))
                .contains("6.00 (4.00 to 20.0)", "time, Cassandra <5> ÷ Sluice: 3.00 (2.00 to 5.00)")
                .containsPattern("Sluice +2.00 .* yes +yes ")
                .containsPattern("Cassandra <5> +6.00 .* no +no ");
    }

    @Test
    void the_page_has_all_figures_and_needs_no_other_file() throws IOException {
        String page = HtmlReport.page(ReplaceBench.class, "replace.js", result());

        assertThat(page)
                .contains("\"isVerified\" : true", "\"startedAt\" : \"2026-11-25T12:00:00Z\"", "Cassandra \\u003c5>")
                .doesNotContain("src=", "href=", "@import");
        assertThat(Json.MAPPER.writeValueAsString(result())).contains("\"ratios\"", "\"median\" : 3.0");
    }
}
