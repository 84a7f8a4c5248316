package io.sluice.streaming.session;

import io.sluice.streaming.Deadlines;
import java.time.Duration;
import java.util.Optional;

/**
 * The liveness of one connection, as seen by one end: derived from the times of the last received and last sent bytes.
 * Time is always an argument.
 *
 * <p>Thread-safe: one thread may read, one may write, and one may check.
 */
public final class ConnectionLiveness {
    private final Deadlines deadlines;
    private final String peer;
    private volatile long lastReceivedNanos;
    private volatile long lastSentNanos;
    private volatile boolean isNotReading;
    private long lastCheckNanos; // confined to the checking thread

    /** @param peer name of the peer, human-readable */
    public ConnectionLiveness(Deadlines deadlines, String peer, long nowNanos) {
        this.deadlines = deadlines;
        this.peer = peer;
        this.lastReceivedNanos = nowNanos;
        this.lastSentNanos = nowNanos;
        this.lastCheckNanos = nowNanos;
    }

    /** The peer sent something, or this end begins to read: silence is measured from now on. */
    public void received(long nowNanos) {
        lastReceivedNanos = nowNanos;
        isNotReading = false;
    }

    /** This end stops reading for a while: this time does not count as silence of the peer. */
    public void notReading() {
        isNotReading = true;
    }

    /** This end sent something. */
    public void sent(long nowNanos) {
        lastSentNanos = nowNanos;
    }

    /** Whether this end has sent nothing for one heartbeat period. */
    public boolean isHeartbeatDue(long nowNanos) {
        return nowNanos - lastSentNanos >= deadlines.heartbeat().toNanos();
    }

    /**
     * Whether this process was suspended since the last check: then the peer was possibly not silent, and gets a new
     * deadline. To be called at least once per heartbeat period.
     */
    public boolean wasFrozen(long nowNanos) {
        boolean isLate = nowNanos - lastCheckNanos > 2 * deadlines.heartbeat().toNanos();
        lastCheckNanos = nowNanos;
        if (isLate) {
            lastReceivedNanos = nowNanos;
        }
        return isLate;
    }

    /** Why the peer is considered lost, as a sentence; empty if it is not. */
    public Optional<String> silence(long nowNanos) {
        // In this order: the reader sets the time before it clears the flag.
        if (isNotReading || nowNanos - lastReceivedNanos <= deadlines.silence().toNanos()) {
            return Optional.empty();
        }
        return Optional.of(peer + " sent nothing for " + text(deadlines.silence())
                + " (is it overloaded, suspended, or disconnected?)");
    }

    private static String text(Duration silence) {
        return silence.toSeconds() > 0 ? silence.toSeconds() + " s" : silence.toMillis() + " ms";
    }
}
