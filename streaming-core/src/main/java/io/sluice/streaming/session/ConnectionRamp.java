package io.sluice.streaming.session;

import java.util.concurrent.TimeUnit;

/**
 * Decides when to open another data connection: the second at once if there is much to fetch, because each end moves
 * the bytes of one connection on one processor; further ones as long as the last added one increased the throughput. A
 * link that two connections do not saturate gets as many as needed, and a saturated one keeps two or three.
 *
 * <p>Pure; not thread-safe.
 */
final class ConnectionRamp {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final double WORTHWHILE_GAIN = 1.15;
    /** No connection is added if the rest would take less than this number of intervals. */
    private static final int LOOKS_LEFT = 4;
    /** What one connection moves in some hundredths of a second: less is over before a second one pays. */
    static final long SECOND_AT_BYTES = 64 << 20;

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
        if (connections == 1 && most > 1 && bytesMissing >= SECOND_AT_BYTES) {
            connections = 2;
            return true;
        }
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
