package io.sluice.streaming.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DutyCycleTest {
    private static final long MILLI = 1_000_000;

    @Test
    void never_rests_at_full_duty() {
        DutyCycle duty = new DutyCycle(100);

        assertThat(duty.restNanos(60_000 * MILLI)).isZero();
        assertThat(duty.isFull()).isTrue();
    }

    @Test
    void rests_in_proportion_to_its_work_and_not_for_less_than_a_fifth_of_a_millisecond() {
        DutyCycle duty = new DutyCycle(60); // two thirds of the work
        long worked = 0;
        long rested = 0;
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < 30_000; i++) {
            worked += MILLI / 10;
            long rest = duty.restNanos(MILLI / 10);
            rested += rest;
            shortest = rest == 0 ? shortest : Math.min(shortest, rest);
        }

        assertThat(worked * 100.0 / (worked + rested)).isBetween(60.0, 60.1);
        assertThat(shortest).isBetween(MILLI / 5, MILLI / 3);
        assertThat(duty.isFull()).isFalse();
    }

    @Test
    void what_took_long_is_not_paid_for_in_full() {
        DutyCycle duty = new DutyCycle(10);

        assertThat(duty.restNanos(2_000 * MILLI)).isEqualTo(50 * MILLI);
        assertThat(duty.restNanos(0)).as("the excess is forgotten").isZero();
    }

    @Test
    void a_clock_that_goes_back_takes_nothing_off() {
        DutyCycle duty = new DutyCycle(50);

        assertThat(duty.restNanos(MILLI / 10)).isZero();
        assertThat(duty.restNanos(-10 * MILLI)).isZero();
        assertThat(duty.restNanos(MILLI / 10)).isEqualTo(MILLI / 5);
    }
}
