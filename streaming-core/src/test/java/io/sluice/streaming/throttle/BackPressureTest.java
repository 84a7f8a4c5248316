package io.sluice.streaming.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BackPressureTest {
    private static final long FULL_SPEED = 1_000_000_000;
    private static final int CHECKS_PER_SECOND = 10;

    private final BackPressure backPressure = new BackPressure();

    private long after(int checks, boolean isOverloaded, long rate) {
        long next = rate;
        for (int i = 0; i < checks; i++) {
            next = backPressure.next(isOverloaded, Math.min(next == 0 ? rate : next, FULL_SPEED));
        }
        return next;
    }

    @Test
    void there_is_no_limit_until_the_database_is_overloaded() {
        assertThat(after(100, false, FULL_SPEED)).isZero();

        assertThat(backPressure.next(true, FULL_SPEED)).isEqualTo(FULL_SPEED * 3 / 4);
    }

    @Test
    void one_slow_request_that_is_reported_for_a_second_costs_a_quarter() {
        long during = after(CHECKS_PER_SECOND, true, FULL_SPEED);

        assertThat(during).isEqualTo(FULL_SPEED * 3 / 4);
        assertThat(after(2, false, during)).isEqualTo(FULL_SPEED * 9 / 10);
    }

    @Test
    void an_overload_that_lasts_halves_the_rate_each_second_but_never_stops_it() {
        long first = after(1, true, FULL_SPEED);
        long second = after(CHECKS_PER_SECOND, true, first);
        long third = after(CHECKS_PER_SECOND, true, second);

        assertThat(second).isEqualTo(first / 2);
        assertThat(third).isEqualTo(first / 4);
        assertThat(after(20 * CHECKS_PER_SECOND, true, third)).isEqualTo(1 << 20);
    }

    @Test
    void an_overload_while_nothing_streams_is_not_cut_but_what_streams_then_is() {
        assertThat(after(50, true, 0)).isZero();

        assertThat(backPressure.next(true, FULL_SPEED)).isEqualTo(FULL_SPEED * 3 / 4);
        assertThat(after(2, false, FULL_SPEED * 3 / 4)).isEqualTo(FULL_SPEED * 9 / 10);
    }

    @Test
    void it_comes_back_fast_to_near_what_was_too_much_and_then_slowly() {
        long rate = after(30 * CHECKS_PER_SECOND, true, FULL_SPEED);

        int checks = 0;
        for (; rate < FULL_SPEED * 9 / 10; checks++) {
            rate = after(1, false, rate);
        }
        assertThat(checks).isBetween(60, 80); // 7 seconds from the floor
        assertThat(rate).isEqualTo(FULL_SPEED * 9 / 10);
        assertThat(after(1, false, rate)).isEqualTo(FULL_SPEED * 918 / 1_000);
    }

    @Test
    void the_limit_is_lifted_when_it_is_not_needed() {
        long rate = after(30 * CHECKS_PER_SECOND, true, FULL_SPEED);

        assertThat(after(15 * CHECKS_PER_SECOND, false, rate)).isZero();
    }

    @Test
    void a_database_that_bears_less_than_all_gets_most_of_what_it_bears() {
        long bearable = FULL_SPEED / 3;
        long streamed = 0;
        long rate = 0;
        int overloaded = 0; // for a second after each excess
        for (int check = 0; check < 100 * CHECKS_PER_SECOND; check++) {
            long flowing = rate == 0 ? FULL_SPEED : Math.min(rate, FULL_SPEED);
            overloaded = flowing > bearable ? CHECKS_PER_SECOND : overloaded - 1;
            streamed += flowing / CHECKS_PER_SECOND;
            rate = backPressure.next(overloaded > 0, flowing);
        }

        assertThat(streamed / 100).isBetween(bearable * 6 / 10, bearable);
    }
}
