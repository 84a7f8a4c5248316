package io.sluice.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.report.HtmlReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is made of measured requests. */
class ReadsResultTest {
    private static final int SECOND = 1_000_000;

    /** A hundred reads that take 1 to 100 times {@code micros}, ten in a burst at 1,000 times, ten writes. */
    private static ReadsPeer.Measured measured(int micros, long streamedBytes) {
        List<Request> reads = new ArrayList<>();
        for (int i = 100; i > 0; i--) {
            reads.add(new Request(reads.size(), i * micros));
        }
        for (int i = 0; i < 10; i++) {
            reads.add(new Request(4 * SECOND + i, 1_000 * micros));
        }
        List<Request> writes = reads.subList(0, 10);
        return new ReadsPeer.Measured(reads, writes, streamedBytes, 2);
    }

    private static ReadsResult result() {
        Map<String, List<ReadsPeer.Measured>> measured = new LinkedHashMap<>();
        measured.put("alone", List.of(measured(10, 0), measured(20, 0), measured(10, 0)));
        measured.put("full <speed>", List.of(measured(20, 2 << 20), measured(20, 4 << 20), measured(50, 6 << 20)));
        return new ReadsResult(
                "./sluice bench reads",
                "Sluice",
                "2 processors",
                "2026-11-26T12:00:00Z",
                0.5,
                3,
                5,
                ReadsResult.runs(measured, "alone"));
    }

    @Test
    void percentiles_are_of_steady_reads_and_ratios_of_the_same_round() {
        ReadsResult.Run full = result().runs().get(1);

        assertThat(full.arrivedMibPerSecond().values()).containsExactly(1.0, 2.0, 3.0);
        assertThat(full.p50Micros().values()).containsExactly(1_020.0, 1_020.0, 2_550.0);
        assertThat(full.p99Micros().values()).containsExactly(2_000.0, 2_000.0, 5_000.0);
        assertThat(full.p99Ratio().values()).containsExactly(2.0, 1.0, 5.0);
        assertThat(full.burstP99Micros().values()).containsExactly(20_000.0, 20_000.0, 50_000.0);
        assertThat(full.burstP99Ratio().median()).isEqualTo(2.0);
        assertThat(full.writeP99Ratio().values()).containsExactly(2.0, 1.0, 5.0);
    }

    @Test
    void the_curve_rises_from_the_fastest_read_to_the_slowest() {
        List<ReadsResult.Point> curve = result().runs().get(0).curve();

        assertThat(curve.get(0)).isEqualTo(new ReadsResult.Point(0, 10));
        assertThat(curve.get(curve.size() - 1)).isEqualTo(new ReadsResult.Point(3, 20_000));
        assertThat(curve.stream().map(ReadsResult.Point::micros).toList()).isSorted();
    }

    @Test
    void the_table_and_the_page_have_each_run() throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        ReadsBench.print(result(), new PrintStream(written, true, StandardCharsets.UTF_8));

        assertThat(written.toString(StandardCharsets.UTF_8))
                .containsPattern("full <speed> +2 +1020 +2000 .2000 to 5000. +2.00 .1.00 to 5.00. ");
        assertThat(HtmlReport.page(ReadsBench.class, "reads.js", result()))
                .contains("\"full \\u003cspeed>\"", "\"p99Ratio\"", "\"last\"")
                .doesNotContain("src=", "href=", "@import");
    }
}
