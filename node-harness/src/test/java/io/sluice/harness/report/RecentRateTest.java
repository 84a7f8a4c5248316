package io.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RecentRateTest {
    private final RecentRate rate = new RecentRate();

    private void at(long seconds, long bytes) {
        rate.add(bytes, TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void one_look_has_no_rate() {
        at(0, 500);

        assertThat(rate.bytesPerSecond()).isZero();
    }

    @Test
    void what_was_there_before_does_not_count() {
        at(0, 500);
        at(2, 520);

        assertThat(rate.bytesPerSecond()).isEqualTo(10);
    }

    @Test
    void only_the_last_seconds_count() {
        at(0, 0);
        at(60, 600_000);
        at(70, 600_100);

        assertThat(rate.bytesPerSecond()).isEqualTo(10);
    }

    @Test
    void what_is_fetched_again_is_no_negative_rate() {
        at(0, 500);
        at(2, 100);

        assertThat(rate.bytesPerSecond()).isZero();
    }
}
