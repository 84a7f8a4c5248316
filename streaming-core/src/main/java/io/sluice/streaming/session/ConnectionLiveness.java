package io.sluice.streaming.session;

import io.sluice.streaming.Deadlines;
import java.time.Duration;
import java.util.Optional;

/**
 * The signs of life on one connection, as one end sees them: when it last heard of the other end, when it last spoke
 * itself, and what follows. Told the time, never asking for it.
 *
 * <p>Thread-safe: one may listen, one may speak, and one may look.
 */
public final class ConnectionLiveness {
    private final Deadlines deadlines;
    private final String peer;
    private volatile long lastReceivedNanos;
    private volatile long lastSentNanos;
    private volatile boolean isNotReading;
    private long lastCheckNanos; // of the one that looks

    /** @param peer the other end's name, for people */
    public ConnectionLiveness(Deadlines deadlines, String peer, long nowNanos) {
        this.deadlines = deadlines;
        this.peer = peer;
        this.lastReceivedNanos = nowNanos;
        this.lastSentNanos = nowNanos;
        this.lastCheckNanos = nowNanos;
    }

    /** The other end said something, or this end begins to listen: silence counts from now on. */
    public void received(long nowNanos) {
        lastReceivedNanos = nowNanos;
        isNotReading = false;
    }

    /**
     * This end does something else, for as long as that takes: what it does not hear is not the other end's silence.
     */
    public void notReading() {
        isNotReading = true;
    }

    /** This end said something. */
    public void sent(long nowNanos) {
        lastSentNanos = nowNanos;
    }

    /** Whether this end has been silent for so long that it is time for a sign of life. */
    public boolean isHeartbeatDue(long nowNanos) {
        return nowNanos - lastSentNanos >= deadlines.heartbeat().toNanos();
    }

    /**
     * Whether this process stood still since the last look: then it was not the others who were silent, and they get a
     * fresh deadline. To be asked at least once per heartbeat.
     */
    public boolean wasFrozen(long nowNanos) {
        boolean isLate = nowNanos - lastCheckNanos > 2 * deadlines.heartbeat().toNanos();
        lastCheckNanos = nowNanos;
        if (isLate) {
            lastReceivedNanos = nowNanos;
        }
        return isLate;
    }

    /** That the other end is lost, as a sentence; empty while it is not. */
    public Optional<String> silence(long nowNanos) {
        // In this order: who has just begun to listen has set the time before.
        if (isNotReading || nowNanos - lastReceivedNanos <= deadlines.silence().toNanos()) {
            return Optional.empty();
        }
        return Optional.of("nothing was heard from " + peer + " for " + text(deadlines.silence())
                + " (is it overloaded, frozen, or cut off?)");
    }

    private static String text(Duration silence) {
        return silence.toSeconds() > 0 ? silence.toSeconds() + " s" : silence.toMillis() + " ms";
    }
}
