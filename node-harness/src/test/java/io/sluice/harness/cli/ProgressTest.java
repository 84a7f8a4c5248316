package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.load.LoadProgress;
import org.junit.jupiter.api.Test;

class ProgressTest {
    @Test
    void a_load_that_cuts_slices_says_so_before_it_sends() {
        assertThat(Progress.of(new LoadProgress(0, 100_000_000, 3, 20), 4)).isEqualTo("cutting slices: 3 of 20");
    }

    @Test
    void a_load_that_sends_says_share_rate_and_time_left() {
        assertThat(Progress.of(new LoadProgress(25_000_000, 100_000_000, 20, 20), 5))
                .isEqualTo(" 25.0 %  23.84 MiB of 95.37 MiB  4.77 MiB/s, 15 s left");
    }

    @Test
    void a_load_that_sends_to_one_node_and_cuts_for_another_says_both() {
        assertThat(Progress.of(new LoadProgress(25_000_000, 100_000_000, 19, 20), 5))
                .endsWith("15 s left, cutting slices: 19 of 20");
    }

    @Test
    void a_load_that_waits_for_its_nodes_divides_by_nothing() {
        assertThat(Progress.of(new LoadProgress(0, 0, 0, 0), 0)).isEqualTo("  0.0 %  0 B of 0 B  0 B/s");
    }
}
