package io.sluice.netty.threads;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.threads.SchedulingDelay.Counted;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is made of how long threads waited for a processor. */
class SchedulingDelayTest {
    private static final long MICRO = 1_000;

    private final SchedulingDelay delay = new SchedulingDelay();

    private static Map<Integer, Counted> one(long waitMicros, long runs) {
        return Map.of(7, new Counted(waitMicros * MICRO, runs));
    }

    @Test
    void waits_are_too_long_if_they_are_so_on_average_of_many() {
        delay.add(one(0, 0));
        delay.add(one(200 * 1_000, 1_000));
        assertThat(delay.isTooLong()).isFalse();

        delay.add(one(200 * 1_000 + 201 * 1_000, 2_000));
        assertThat(delay.isTooLong()).isTrue();
    }

    @Test
    void what_a_thread_waited_before_it_was_seen_does_not_count() {
        delay.add(one(90_000_000, 10_000));
        assertThat(delay.isTooLong()).isFalse();

        delay.add(Map.of(7, new Counted(90_000_000 * MICRO, 11_000), 8, new Counted(90_000_000 * MICRO, 10_000)));
        assertThat(delay.isTooLong()).isFalse();
    }

    @Test
    void of_a_few_runs_nothing_is_known() {
        delay.add(one(0, 0));
        delay.add(one(1_000_000, SchedulingDelay.LEAST_RUNS - 1));
        assertThat(delay.isTooLong()).isFalse();

        delay.add(one(2_000_000, 2 * SchedulingDelay.LEAST_RUNS));
        assertThat(delay.isTooLong()).isTrue();
    }

    @Test
    void what_was_long_ago_weighs_less_and_less() {
        delay.add(one(0, 0));
        delay.add(one(1_000 * 1_000, 1_000));
        assertThat(delay.isTooLong()).isTrue();

        for (int look = 2; look < 5; look++) {
            delay.add(one(1_000 * 1_000, look * 1_000L));
        }
        assertThat(delay.isTooLong()).isFalse();
    }

    @Test
    void nothing_is_known_of_what_was_forgotten() {
        delay.add(one(0, 0));
        delay.add(one(1_000 * 1_000, 1_000));
        delay.forget();
        assertThat(delay.isTooLong()).isFalse();

        delay.add(one(9_000 * 1_000, 9_000));
        assertThat(delay.isTooLong()).isFalse();
    }
}
