package io.sluice.streaming.session;

import java.util.concurrent.TimeUnit;

/**
 * Decides when one more data connection is worth having: as long as the last one that was added made bytes come faster.
 * So a link that one connection does not fill gets as many as it takes, and one that is full keeps one or two.
 *
 * <p>Pure; not thread-safe.
 */
final class ConnectionRamp {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final double WORTHWHILE_GAIN = 1.15;
    /** What is left must be worth the effort: so many looks. */
    private static final int LOOKS_LEFT = 4;

    private final int most;
    private int connections;
    private boolean hasEnough;
    private long lookBeganNanos;
    private long bytesAtLook;
    private long gainedBefore;

    /**
     * A session that begins to fetch now.
     *
     * @param first connections that it opens at once
     * @param most that it may have
     */
    ConnectionRamp(int first, int most, long bytesHere, long nowNanos) {
        this.connections = first;
        this.most = most;
        this.bytesAtLook = bytesHere;
        this.lookBeganNanos = nowNanos;
    }

    /** Whether to open one more now; to be asked often. */
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
