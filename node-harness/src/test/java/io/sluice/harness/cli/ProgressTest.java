package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.load.LoadProgress;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static String text(LoadProgress load, double seconds) {
        return Progress.step(load).text(seconds);
    }

    @Test
    void a_load_that_cuts_slices_says_so_before_it_sends() {
        assertThat(text(new LoadProgress(0, 100_000_000, 3, 20), 4))
                .isEqualTo("cutting slices: 15.0 %, 3 of 20 slices, 0.8/s, 23 s left");
    }

    @Test
    void a_load_that_sends_says_share_rate_and_time_left() {
        assertThat(text(new LoadProgress(25_000_000, 100_000_000, 20, 20), 5))
                .isEqualTo("sending: 25.0 %, 23.84 MiB of 95.37 MiB, 4.77 MiB/s, 15 s left");
    }

    @Test
    void a_load_that_sends_to_one_node_and_cuts_for_another_says_both() {
        assertThat(text(new LoadProgress(25_000_000, 100_000_000, 19, 20), 5))
                .endsWith("15 s left; cutting slices: 19 of 20");
    }

    @Test
    void a_load_that_waits_for_its_nodes_divides_by_nothing() {
        assertThat(text(new LoadProgress(0, 0, 0, 0), 0)).isEqualTo("sending, for 0 s");
    }

    @Test
    void a_load_that_has_sent_all_waits_and_is_at_no_more_than_all() {
        assertThat(text(new LoadProgress(379, 347, 2, 2), 3))
                .isEqualTo("waiting until the nodes have it live, for 3 s");
        assertThat(text(new LoadProgress(379, 347, 1, 2), 3)).startsWith("sending: 100.0 %, 347 B of 347 B");
    }

    @Test
    void a_pull_names_its_phase() {
        assertThat(Progress.step(0, 0).text(2)).isEqualTo("waiting for the sender to say what comes, for 2 s");
        assertThat(Progress.step(5, 10).text(1)).startsWith("receiving: 50.0 %");
        assertThat(Progress.step(10, 10).text(2)).isEqualTo("verifying what was received, for 2 s");
    }
}
