package io.sluice.bench.replace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a node waits while the memory is prepared. */
class RingDelayTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 100, 2_000, 15_000, 600_000})
    void memory_is_prepared_until_shortly_before_the_node_asks(int millis) {
        Duration took = Duration.ofMillis(millis);
        RingDelay delay = new RingDelay(took);

        Duration waited = took;
        while (delay.isTimeToRepeat(waited, took)) {
            waited = waited.plus(took).plusMillis(1);
        }

        assertThat(waited).isLessThan(delay.total());
        assertThat(delay.total().minus(waited))
                .isLessThanOrEqualTo(took.multipliedBy(2).plusMillis(500));
    }

    @Test
    void it_is_not_prepared_once_more_where_that_may_end_too_late() {
        RingDelay delay = new RingDelay(Duration.ofSeconds(2)); // the node asks after 11 s

        assertThat(delay.isTimeToRepeat(Duration.ofSeconds(7), Duration.ofSeconds(2)))
                .isTrue();
        assertThat(delay.isTimeToRepeat(Duration.ofSeconds(8), Duration.ofSeconds(2)))
                .isFalse();
        assertThat(delay.isTimeToRepeat(Duration.ofSeconds(7), Duration.ofSeconds(4)))
                .isFalse();
    }

    @Test
    void the_node_is_told_in_milliseconds() {
        assertThat(new RingDelay(Duration.ofSeconds(2)).javaOption()).isEqualTo("-Dcassandra.ring_delay_ms=11000");
    }
}
