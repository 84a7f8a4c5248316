package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.throttle.ForegroundLoad;
import io.sluice.streaming.throttle.Throttle;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ForegroundMonitorTest {
    private static final int RATE = 100 << 20; // bytes per second
    private static final long FIRST_CUT = RATE * 3L / 4;

    private final AtomicBoolean overloaded = new AtomicBoolean();
    private final Throttle throttle = new Throttle(0, 0);
    private final Traffic traffic = new Traffic();
    private long nanos;

    @Test
    void overload_takes_a_quarter_off_the_rate() {
        ForegroundMonitor monitor = monitor(overloaded::get);
        assertThat(limitAfter(monitor, Duration.ofMillis(100))).isZero();

        overloaded.set(true);
        assertThat(limitAfter(monitor, Duration.ofMillis(100))).isEqualTo(FIRST_CUT);
    }

    @Test
    void what_flowed_until_a_late_look_is_no_higher_rate() {
        overloaded.set(true);
        assertThat(limitAfter(monitor(overloaded::get), Duration.ofSeconds(1))).isEqualTo(FIRST_CUT);
    }

    @Test
    void a_database_that_fails_to_report_is_not_overloaded() {
        ForegroundMonitor monitor = monitor(() -> {
            throw new IllegalStateException("no connection");
        });
        assertThat(limitAfter(monitor, Duration.ofMillis(100))).isZero();
    }

    private ForegroundMonitor monitor(ForegroundLoad load) {
        return new ForegroundMonitor(load, throttle, traffic, () -> nanos);
    }

    /** The limit that a look sets when so much time with this rate has passed. */
    private long limitAfter(ForegroundMonitor monitor, Duration time) {
        nanos += time.toNanos();
        traffic.received(RATE * time.toMillis() / 1000);
        monitor.look();
        return throttle.rate();
    }
}
