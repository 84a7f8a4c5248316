package io.sluice.streaming.session;

import java.util.concurrent.TimeUnit;

/**
 * Decides when to open another data connection: as long as the last added one increased the throughput. A link that one
 * connection does not saturate gets as many as needed, and a saturated one keeps one or two.
 *
 * <p>Pure; not thread-safe.
 */
final class ConnectionRamp {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final double WORTHWHILE_GAIN = 1.15;
    /** No connection is added if the rest would take less than this number of intervals. */
    private static final int LOOKS_LEFT = 4;

    private final int most;
    private int connections;
    private boolean hasEnough;
    private long lookBeganNanos;
    private long bytesAtLook;
    private long gainedBefore;

    /**
     * Creates the ramp of a session that begins to fetch now.
     *
     * @param first connections opened at the start
     * @param most maximum number of connections
     */
    ConnectionRamp(int first, int most, long bytesHere, long nowNanos) {
        this.connections = first;
        this.most = most;
        this.bytesAtLook = bytesHere;
        this.lookBeganNanos = nowNanos;
    }

    /** Whether to open another connection now; to be called often. */
    boolean isOneMoreWorthIt(long bytesHere, long bytesMissing, long nowNanos) {
        long tookNanos = nowNanos - lookBeganNanos;
        if (hasEnough || connections == most || tookNanos < LOOK_NANOS) {
            return false;
        }
        long gained = (long) ((double) (bytesHere - bytesAtLook) * LOOK_NANOS / tookNanos);
        if (gained < gainedBefore * WORTHWHILE_GAIN) {
            hasEnough = true;
            return false;
        }
        lookBeganNanos = nowNanos;
        bytesAtLook = bytesHere;
        if (bytesMissing < LOOKS_LEFT * gained) {
            return false;
        }
        gainedBefore = gained;
        connections++;
        return true;
    }
}
