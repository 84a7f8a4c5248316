package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.json.Json;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.TextReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a terminal shows of a run. */
class TextReportTest {
    private static String printed(RunReport report) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        TextReport.print(report, new PrintStream(text, true, StandardCharsets.UTF_8));
        return text.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_run_of_seconds_has_a_mean_rate() throws IOException {
        assertThat(printed(SampleReports.verified(2, "whole")))
                .contains("node4 replaced node3: 1.86 GiB in 2.00 s, 954 MiB/s, 2 SSTables, 14 files");
    }

    @Test
    void a_run_that_failed_or_took_a_moment_has_none() throws IOException {
        assertThat(printed(SampleReports.verified(0.2, "whole"))).contains("in 0.20 s, 2 SSTables");
        assertThat(printed(SampleReports.failed(9))).contains("in 9.00 s, 2 SSTables");
    }

    @Test
    void a_run_that_failed_before_anything_moved_prints_neither_its_nothing_nor_an_empty_table() throws IOException {
        assertThat(printed(SampleReports.ofNothing(SampleReports.failed(9)))).isEmpty();
    }

    @Test
    void a_run_that_had_nothing_to_move_and_did_not_fail_says_so() throws IOException {
        assertThat(printed(SampleReports.ofNothing(SampleReports.verified(2, "whole"))))
                .contains("node4 replaced node3: 0 B in 0.00 s, 0 SSTables, 0 files")
                .contains("Verified: ");
    }

    @Test
    void a_run_that_failed_while_data_moved_says_what_had_come() throws IOException {
        assertThat(printed(SampleReports.failed(9)))
                .contains("node4 replaced node3: 1.86 GiB in 9.00 s, 2 SSTables, 14 files")
                .containsPattern("node1 +127.0.0.2:7000 +node4 +953.67 MiB")
                .containsPattern("node4 +replacement +1\\.50 s")
                .doesNotContain("Verified: ");
    }

    /** A source that was tried again, or whose part another one sent, has offered some of them twice. */
    @Test
    void sstables_that_were_offered_twice_count_once() throws IOException {
        RunReport report = SampleReports.offeredTwice(SampleReports.verified(2, "whole"));

        assertThat(report.transfer().orElseThrow().sstables()).isEqualTo(5);
        assertThat(printed(report)).contains("2 SSTables, 14 files");
    }

    @Test
    void a_session_that_failed_is_marked() throws IOException {
        RunReport report = Json.MAPPER.readValue(
                Json.MAPPER
                        .writeValueAsString(SampleReports.verified(2, "whole"))
                        .replaceFirst("COMPLETE", "FAILED"),
                RunReport.class);

        assertThat(printed(report))
                .containsPattern("node1 .* FAILED\n")
                .containsPattern("node2 .* COMPLETE\n")
                .containsPattern("mode +end\n");
        assertThat(printed(SampleReports.verified(2, "whole"))).doesNotContain("COMPLETE");
    }

    @Test
    void hundredths_of_a_second_of_cpu_are_not_told() throws IOException {
        RunReport report = Json.MAPPER.readValue(
                Json.MAPPER
                        .writeValueAsString(SampleReports.verified(2, "whole"))
                        .replace("\"systemCpuSeconds\" : 0.5", "\"systemCpuSeconds\" : 0.03"),
                RunReport.class);

        assertThat(printed(report)).containsPattern("node4 +replacement +1\\.50 s +< 0\\.05 s");
    }
}
