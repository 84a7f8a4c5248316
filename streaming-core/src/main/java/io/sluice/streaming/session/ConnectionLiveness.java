package io.sluice.streaming.session;

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
    private volatile long heardNanos;
    private volatile long saidNanos;
    private volatile boolean isDeaf;
    private long lookedNanos; // of the one that looks

    /** @param peer the other end's name, for people */
    public ConnectionLiveness(Deadlines deadlines, String peer, long nowNanos) {
        this.deadlines = deadlines;
        this.peer = peer;
        this.heardNanos = nowNanos;
        this.saidNanos = nowNanos;
        this.lookedNanos = nowNanos;
    }

    /** The other end said something, or this end begins to listen: silence counts from now on. */
    public void listening(long nowNanos) {
        heardNanos = nowNanos;
        isDeaf = false;
    }

    /**
     * This end does something else, for as long as that takes: what it does not hear is not the other end's silence.
     */
    public void busy() {
        isDeaf = true;
    }

    /** This end said something. */
    public void said(long nowNanos) {
        saidNanos = nowNanos;
    }

    /** Whether this end has been silent for so long that it is time for a sign of life. */
    public boolean isHeartbeatDue(long nowNanos) {
        return nowNanos - saidNanos >= deadlines.heartbeat().toNanos();
    }

    /**
     * Whether this process stood still since the last look: then it was not the others who were silent, and they get a
     * fresh deadline. To be asked at least once per heartbeat.
     */
    public boolean wasFrozen(long nowNanos) {
        boolean isLate = nowNanos - lookedNanos > 2 * deadlines.heartbeat().toNanos();
        lookedNanos = nowNanos;
        if (isLate) {
            heardNanos = nowNanos;
        }
        return isLate;
    }

    /** That the other end is lost, as a sentence; empty while it is not. */
    public Optional<String> silence(long nowNanos) {
        // In this order: who has just begun to listen has set the time before.
        if (isDeaf || nowNanos - heardNanos <= deadlines.silence().toNanos()) {
            return Optional.empty();
        }
        return Optional.of("nothing was heard from " + peer + " for " + inWords(deadlines.silence())
                + " (is it overloaded, frozen, or cut off?)");
    }

    private static String inWords(Duration silence) {
        return silence.toSeconds() > 0 ? silence.toSeconds() + " s" : silence.toMillis() + " ms";
    }
}
