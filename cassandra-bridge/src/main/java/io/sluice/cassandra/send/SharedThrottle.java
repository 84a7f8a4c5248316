package io.sluice.cassandra.send;

import io.sluice.streaming.throttle.Throttle;
import java.util.concurrent.TimeUnit;

/** A rate limit shared by all connections that send. Thread-safe. */
public final class SharedThrottle {
    private static final int UNLIMITED_PIECE_BYTES = 8 << 20;

    private final Throttle throttle;

    /** @param bytesPerSecond 0 for no limit */
    public SharedThrottle(long bytesPerSecond) {
        this.throttle = new Throttle(bytesPerSecond, System.nanoTime());
    }

    /** How many bytes to send at once. */
    int pieceBytes() {
        return Math.min(UNLIMITED_PIECE_BYTES, throttle.pieceBytes());
    }

    /** Waits until {@code bytes} may be sent. */
    void acquire(long bytes) throws InterruptedException {
        long pauseNanos = throttle.take(bytes, System.nanoTime());
        if (pauseNanos > 0) {
            TimeUnit.NANOSECONDS.sleep(pauseNanos);
        }
    }
}
