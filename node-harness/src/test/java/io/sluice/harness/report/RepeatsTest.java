package io.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatsTest {
    @Test
    void quartiles_lie_between_runs_in_proportion() {
        Repeats repeats = Repeats.of(List.of(4.0, 1.0, 3.0, 2.0));

        assertThat(repeats.least()).isEqualTo(1);
        assertThat(repeats.lowerQuartile()).isEqualTo(1.75);
        assertThat(repeats.median()).isEqualTo(2.5);
        assertThat(repeats.upperQuartile()).isEqualTo(3.25);
        assertThat(repeats.most()).isEqualTo(4);
        assertThat(repeats.seconds()).as("in the order of the runs").containsExactly(4.0, 1.0, 3.0, 2.0);
        assertThat(repeats)
                .hasToString("4 runs: median 2.50 s, quartiles 1.75 s and 3.25 s (IQR 1.50 s),"
                        + " least 1.00 s, most 4.00 s");
    }

    @Test
    void one_run_is_all_of_them() {
        assertThat(Repeats.of(List.of(2.0))).isEqualTo(new Repeats(List.of(2.0), 2, 2, 2, 2, 2));
    }
}
