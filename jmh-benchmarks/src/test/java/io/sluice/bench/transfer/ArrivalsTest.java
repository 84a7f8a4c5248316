package io.sluice.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When requests are due. */
class ArrivalsTest {
    @Test
    void every_fifth_second_is_a_burst() {
        List<Integer> due = new Arrivals(4, 10).dueMicros(10);

        assertThat(due).startsWith(0, 250_000, 500_000, 750_000, 1_000_000).isSorted();
        assertThat(due).hasSize(2 * (4 * 4 + 10));
        assertThat(due.stream().filter(Arrivals::isInBurst).toList())
                .hasSize(20)
                .startsWith(4_000_000, 4_100_000)
                .endsWith(9_900_000);
    }
}
