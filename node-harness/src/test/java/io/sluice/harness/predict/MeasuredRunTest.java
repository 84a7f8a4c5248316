package io.sluice.harness.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.harness.json.Json;
import io.sluice.harness.report.RunReport;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeasuredRunTest {
    /** Two sources, 100 MB/s after a second of starting, half a second of installing after the last byte. */
    private static RunReport run(long bytes) throws IOException {
        StringBuilder samples = new StringBuilder();
        double end = 1 + (double) bytes / 100e6;
        for (double at = 0; at < end + 0.25; at += 0.25) {
            long each = Math.round(Math.min((double) bytes, Math.max(0, (at - 1) * 100e6)) / 2);
            double cpu = 1 + (double) each * 2 / 1e9;
            samples.append(samples.isEmpty() ? "" : ",").append("""
                            {"seconds": %f, "receivedBytes": {"a": %d, "b": %d},
                             "cpuSeconds": {"node1": %f, "node2": 1.0, "node4": %f}}
                            """.formatted(at, each, each, cpu, 2 * cpu));
        }
        String json = """
                {"scenario": "replace-node", "title": "node3 replaced", "startedAt": "", "phase": "ended",
                 "setting": {"nodes": 3, "replicationFactor": 3, "dcs": ["datacenter1"], "racks": 1, "vnodes": 1,
                             "data": "", "tables": ["a.b"]},
                 "members": [
                  {"name": "node1", "address": "", "tokens": ["-6148914691236517204"], "role": "source"},
                  {"name": "node2", "address": "", "tokens": ["0"], "role": "source"},
                  {"name": "node3", "address": "", "tokens": ["6148914691236517204"], "role": "dead"},
                  {"name": "node4", "address": "", "tokens": ["6148914691236517204"], "role": "replacement"}],
                 "verified": true, "end": {"state": "installed", "expected": "installed", "asExpected": true},
                 "results": [{"node": "node4", "table": "a.b", "state": "installed", "reason": "", "sstables": 8,
                              "bytes": %1$d}],
                 "transfer": {"seconds": %2$f, "bytes": %1$d, "megabytesPerSecond": 1, "files": 56, "sstables": 8,
                              "mode": "", "verificationSeconds": 0},
                 "sources": [], "processes": [], "checks": [], "samples": [%3$s], "marks": [], "logs": ""}
                """.formatted(bytes, end + 0.5, samples);
        return Json.MAPPER.readValue(json, RunReport.class);
    }

    @Test
    void a_run_says_what_its_machine_can_do() throws IOException {
        Calibration calibration = Calibration.of(List.of(run(1_000_000_000)));

        assertThat(calibration.bytesPerSecond()).isCloseTo(100e6, within(5e6));
        assertThat(calibration.start()).isCloseTo(1, within(0.3));
        assertThat(calibration.tail()).isCloseTo(0.5, within(0.3));
        assertThat(calibration.sendCpu()).isCloseTo(1e-9, within(1e-11));
        assertThat(calibration.receiveCpu()).isCloseTo(2e-9, within(1e-11));
    }

    @Test
    void a_run_of_another_size_is_predicted_from_it() throws IOException {
        Calibration calibration = Calibration.of(List.of(run(400_000_000)));

        MeasuredRun.Comparison other =
                new MeasuredRun("other", run(2_000_000_000L)).compare(calibration.sharedMachine());

        assertThat(other.measuredSeconds()).isEqualTo(21.5);
        assertThat(other.error()).isBetween(-0.05, 0.05);
    }

    @Test
    void a_run_that_failed_is_refused() throws IOException {
        RunReport run = Json.MAPPER.readValue(
                Json.MAPPER.writeValueAsString(run(100_000_000)).replace("\"verified\" : true", "\"verified\" : false"),
                RunReport.class);

        assertThatThrownBy(() -> new MeasuredRun("x.json", run)
                        .compare(Calibration.of(List.of(run)).sharedMachine()))
                .hasMessageContaining("x.json: nothing was installed and verified");
    }
}
