package io.sluice.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ReadsBenchTest {
    @Test
    void each_limit_has_a_run_of_its_own() {
        ReadsBench bench = new ReadsBench();
        new CommandLine(bench).parseArgs("--throttle", "1.5MiB/s,512KiB/s,1MiB/s,1000B/s");

        assertThat(bench.questions())
                .containsKeys("alone", "default", "full speed", "1536KiB/s", "512KiB/s", "1MiB/s", "1000B/s", "signal")
                .hasSize(8);
    }
}
