package io.sluice.bench.replace;

import java.time.Duration;

/**
 * How long a node that joins waits until its ring knows it, before it asks for data: in that time the memory of the
 * machine is prepared for it. Immutable.
 *
 * @param preparing how long that is to take
 */
record RingDelay(Duration preparing) {
    /** What local nodes wait otherwise. */
    private static final Duration LEAST = Duration.ofSeconds(5);

    private static final Duration RESERVE = Duration.ofMillis(500);

    /** The whole time. */
    Duration total() {
        return LEAST.plus(preparing.multipliedBy(3));
    }

    /**
     * Whether memory that has been prepared may be prepared once more, so that it is fresh when the node asks: it may
     * take half as long again.
     *
     * @param waited since the node announced itself
     * @param took the last time
     */
    boolean isTimeToRepeat(Duration waited, Duration took) {
        Duration left = total().minus(waited);
        return left.compareTo(took.multipliedBy(3).dividedBy(2).plus(RESERVE)) > 0;
    }

    /** What makes a node of Cassandra wait so long. */
    String javaOption() {
        return "-Dcassandra.ring_delay_ms=" + total().toMillis();
    }
}
