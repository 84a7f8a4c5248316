package io.sluice.streaming.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThrottleTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void lets_ten_seconds_of_bytes_leave_in_ten_seconds() {
        Throttle throttle = new Throttle(1_000, 0);
        long now = 0;
        for (int i = 0; i < 100; i++) {
            now += throttle.take(100, now);
        }

        assertThat(now).isBetween(10 * SECOND - SECOND / 4, 10 * SECOND);
    }

    @Test
    void saves_no_more_than_a_burst_in_silence() {
        Throttle throttle = new Throttle(1_000, 0);

        assertThat(throttle.take(100, 100 * SECOND)).isZero();
        assertThat(throttle.take(1_000, 100 * SECOND)).isZero();
        assertThat(throttle.take(1, 100 * SECOND)).isEqualTo(SECOND);
    }

    @Test
    void a_debt_at_a_low_rate_is_paid_at_the_higher_one() {
        Throttle throttle = new Throttle(24, 0);
        throttle.take(4 << 10, 0);
        assertThat(throttle.take(4 << 10, 0)).isGreaterThan(100 * SECOND);

        throttle.setRate(24 << 20);

        assertThat(throttle.take(4 << 10, 0)).isBetween(0L, SECOND / 1_000);
    }

    @Test
    void a_debt_at_a_high_rate_does_not_grow_with_a_lower_one() {
        Throttle throttle = new Throttle(24 << 20, 0);
        throttle.take(24 << 20, 0);

        throttle.setRate(24);

        assertThat(throttle.take(1, 0)).isEqualTo(SECOND);
    }

    @Test
    void never_pauses_without_a_limit() {
        Throttle throttle = new Throttle(0, 0);

        assertThat(throttle.pieceBytes()).isEqualTo(Integer.MAX_VALUE);
        assertThat(throttle.take(Long.MAX_VALUE, 1)).isZero();
    }
}
