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
    void takesAQuarterOffTheRate() {
        ForegroundMonitor monitor = monitor(overloaded::get);
        streamFor(Duration.ofMillis(100));
        monitor.look();
        assertThat(throttle.rate()).isZero();

        overloaded.set(true);
        streamFor(Duration.ofMillis(100));
        monitor.look();
        assertThat(throttle.rate()).isEqualTo(FIRST_CUT);
    }

    @Test
    void takesALateLookForNoHigherRate() {
        ForegroundMonitor monitor = monitor(overloaded::get);
        overloaded.set(true);
        streamFor(Duration.ofSeconds(1));
        monitor.look();
        assertThat(throttle.rate()).isEqualTo(FIRST_CUT);
    }

    @Test
    void aDatabaseThatFailsToReportIsNotOverloaded() {
        ForegroundMonitor monitor = monitor(() -> {
            throw new IllegalStateException("no connection");
        });
        streamFor(Duration.ofMillis(100));
        monitor.look();
        assertThat(throttle.rate()).isZero();
    }

    private ForegroundMonitor monitor(ForegroundLoad load) {
        return new ForegroundMonitor(load, throttle, traffic, () -> nanos);
    }

    private void streamFor(Duration time) {
        nanos += time.toNanos();
        traffic.received(RATE * time.toMillis() / 1000);
    }
}
