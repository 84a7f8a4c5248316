package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.soak.RandomReport;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A minute of the hour of {@code ./sluice soak random}. */
@Tag("full")
@Timeout(600)
class RandomRunTest {
    @TempDir
    private Path temporary = Path.of("");

    @Test
    void everything_is_where_it_belongs_after_random_operations_faults_and_schema_changes() throws Exception {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        SluiceConfig config = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"));
        List<RandomReport.Operation> told = new ArrayList<>();
        RandomReport report;

        try (WorkDirectory work = WorkDirectory.open(temporary.resolve("work"))) {
            RunListeners audience = new RunListeners(nowhere, false, () -> {});
            report = new RandomRun(work, config, 4 << 20, 3, audience).run(Duration.ofMinutes(1), told::add);
        }

        assertThat(report.operations()).isNotEmpty().isEqualTo(told);
        assertThat(report.failure()).isEmpty();
        assertThat(report.wrong()).isEmpty();
        assertThat(report.missing()).isZero();
        assertThat(report.equalRanges()).isPositive().isEqualTo(report.ranges());
        assertThat(report.partitions()).isGreaterThan(1_000);
        assertThat(report.isGood()).as("%s", report).isTrue();
    }
}
