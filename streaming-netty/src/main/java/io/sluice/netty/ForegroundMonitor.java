package io.sluice.netty;

import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.throttle.BackPressure;
import io.sluice.streaming.throttle.ForegroundLoad;
import io.sluice.streaming.throttle.Throttle;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Slows streaming down while the database is overloaded, as {@link BackPressure} decides. Confined to the loop. */
final class ForegroundMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(ForegroundMonitor.class);
    private static final long LOOKS_PER_SECOND = Duration.ofSeconds(1).dividedBy(BackPressure.INTERVAL);

    private final ForegroundLoad load;
    private final Throttle throttle;
    private final Traffic traffic;
    private final BackPressure backPressure = new BackPressure();
    private long bytesBefore;

    ForegroundMonitor(ForegroundLoad load, Throttle throttle, Traffic traffic) {
        this.load = load;
        this.throttle = throttle;
        this.traffic = traffic;
    }

    /** Asks the database, and sets the limit for the next interval. */
    void look() {
        long bytes = traffic.bytes();
        long flowing = (bytes - bytesBefore) * LOOKS_PER_SECOND;
        bytesBefore = bytes;
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
