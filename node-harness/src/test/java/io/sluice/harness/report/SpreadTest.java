package io.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void quartiles_lie_between_runs_in_proportion() {
        Spread spread = Spread.of(List.of(4.0, 1.0, 3.0, 2.0));

        assertThat(spread.least()).isEqualTo(1);
        assertThat(spread.lowerQuartile()).isEqualTo(1.75);
        assertThat(spread.median()).isEqualTo(2.5);
        assertThat(spread.upperQuartile()).isEqualTo(3.25);
        assertThat(spread.most()).isEqualTo(4);
        assertThat(spread.values()).as("in the order of the runs").containsExactly(4.0, 1.0, 3.0, 2.0);
        assertThat(spread.text(" s"))
                .isEqualTo("median 2.50 s, quartiles 1.75 s and 3.25 s, least 1.00 s, most 4.00 s");
    }

    @Test
    void one_run_is_all_of_them() {
        assertThat(Spread.of(List.of(2.0))).isEqualTo(new Spread(List.of(2.0), 2, 2, 2, 2, 2));
    }
}
