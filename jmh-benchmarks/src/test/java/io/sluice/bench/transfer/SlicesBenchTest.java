package io.sluice.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.process.Dispersion;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlicesBenchTest {
    private static Dispersion always(double value) {
        return Dispersion.of(List.of(value));
    }

    /** 10 ms of a process are one step of the clock: too few for a figure. */
    @Test
    void cpu_that_the_clock_hardly_counts_is_a_bound() {
        var figures = new SlicesBench.Figures(
                "nb",
                128L << 20,
                1_000,
                64L << 20,
                always(0.5),
                always(1),
                always(2),
                always(0.4),
                always(0.16),
                always(10_000),
                always(123));
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        SlicesBench.print(List.of(figures), new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("0.40 (0.40 to 0.40)", "< 0.48", "< 30000", "123 (123 to 123)")
                .doesNotContain("0.16", "10000");
    }
}
