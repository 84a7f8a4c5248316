package io.sluice.netty;

import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.throttle.BackPressure;
import io.sluice.streaming.throttle.ForegroundLoad;
import io.sluice.streaming.throttle.Throttle;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Slows streaming down while the database is overloaded, as {@link BackPressure} decides. Confined to the loop. */
final class ForegroundMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(ForegroundMonitor.class);
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ForegroundLoad load;
    private final Throttle throttle;
    private final Traffic traffic;
    private final LongSupplier nanoClock;
    private final BackPressure backPressure = new BackPressure();
    private long bytesBefore;
    private long lookedNanos;

    ForegroundMonitor(ForegroundLoad load, Throttle throttle, Traffic traffic, LongSupplier nanoClock) {
        this.load = load;
        this.throttle = throttle;
        this.traffic = traffic;
        this.nanoClock = nanoClock;
        this.lookedNanos = nanoClock.getAsLong();
    }

    /** Asks the database, and sets the limit for the next interval. */
    void look() {
        long bytes = traffic.bytes();
        long now = nanoClock.getAsLong();
        // Not the interval of the timer: a busy loop looks late, and more has flowed by then.
        double seconds = Math.max(1, now - lookedNanos) / NANOS_PER_SECOND;
        long flowing = (long) ((bytes - bytesBefore) / seconds);
        bytesBefore = bytes;
        lookedNanos = now;
        throttle.setRate(backPressure.next(isOverloaded(), flowing));
    }

    private boolean isOverloaded() {
        try {
            return load.isOverloaded();
        } catch (Throwable e) {
            LOG.warn("the database failed to report its load: {}", e.toString());
            VirtualMachineErrors fatal = new VirtualMachineErrors();
            fatal.note(e);
            fatal.handOn();
            return false; // without a report streaming is not slowed down
        }
    }
}
