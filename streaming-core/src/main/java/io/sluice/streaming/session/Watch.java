package io.sluice.streaming.session;

import java.time.Duration;
import java.util.Optional;

/**
 * The clock of one end of a session: what it waits for and until when, when it last heard of the other end, and when to
 * give a sign of life. Told the time, never asking for it. Not thread-safe.
 */
final class Watch {
    private final Deadlines deadlines;
    private final String peer;
    private String what;
    private long sinceNanos;
    private long untilNanos;
    private long heardNanos;
    private long saidNanos;
    private long tickNanos;
    private long peersProgress = -1;
    private boolean isPaused;
    private long pausedTicks;

    Watch(Deadlines deadlines, String peer, String what, long nowNanos) {
        this.deadlines = deadlines;
        this.peer = peer;
        this.what = what;
        this.heardNanos = nowNanos;
        this.saidNanos = nowNanos;
        this.tickNanos = nowNanos;
        this.sinceNanos = nowNanos;
        this.untilNanos = nowNanos + deadlines.prepare().toNanos();
    }

    Deadlines deadlines() {
        return deadlines;
    }

    /** From now on it waits for {@code next}. */
    void waitFor(String next, Duration patience, long nowNanos) {
        what = next;
        sinceNanos = nowNanos;
        untilNanos = nowNanos + patience.toNanos();
    }

    /** Something of what it waits for has come: the deadline begins anew. */
    void progress(long nowNanos) {
        untilNanos = nowNanos + (untilNanos - sinceNanos);
        sinceNanos = nowNanos;
    }

    /** Somebody wants a pause: until it ends only silence counts. */
    void pause() {
        isPaused = true;
    }

    /** It goes on: what is waited for has all its time. */
    void resume(long nowNanos) {
        isPaused = false;
        progress(nowNanos);
    }

    boolean isPaused() {
        return isPaused;
    }

    /**
     * The number that tells the other end whether to go on waiting: what has arrived; one that changes while there is a
     * pause, since that is worth waiting for.
     */
    long progressToTell(long arrived) {
        return isPaused ? -1 - ++pausedTicks : arrived;
    }

    /** The other end said something. */
    void heard(long nowNanos) {
        heardNanos = nowNanos;
    }

    /** The other end told how far it is: as long as that changes, it is worth waiting. */
    void heardOfProgress(long number, long nowNanos) {
        if (number != peersProgress) {
            peersProgress = number;
            progress(nowNanos);
        }
    }

    /** Whether it is time for a sign of life; if so, the next one is due a period later. */
    boolean isHeartbeatDue(long nowNanos) {
        if (nowNanos - saidNanos < deadlines.heartbeat().toNanos()) {
            return false;
        }
        saidNanos = nowNanos;
        return true;
    }

    /** What has been waited for too long, as a sentence; empty if nothing. To be called at least once per heartbeat. */
    Optional<String> overdue(long nowNanos) {
        long late = nowNanos - tickNanos - 2 * deadlines.heartbeat().toNanos();
        tickNanos = nowNanos;
        if (late > 0) {
            // This process was paused, not the others: everybody gets a fresh deadline.
            heardNanos = nowNanos;
            progress(nowNanos);
        }
        if (nowNanos - heardNanos > deadlines.silence().toNanos()) {
            return Optional.of("nothing was heard from " + peer + " for "
                    + deadlines.silence().toSeconds() + " s (is it overloaded, frozen, or cut off?)");
        }
        if (isPaused) {
            progress(nowNanos);
        }
        if (nowNanos > untilNanos) {
            return Optional.of("waited " + seconds(nowNanos - sinceNanos) + " s for " + what);
        }
        return Optional.empty();
    }

    /** "3 s for X, deadline 120 s". */
    String describe(long nowNanos) {
        if (isPaused) {
            return "somebody to resume it (paused by hand); no deadline";
        }
        return what + ", " + seconds(nowNanos - sinceNanos) + " s (deadline: " + seconds(untilNanos - sinceNanos)
                + " s)";
    }

    String what() {
        return isPaused ? "somebody to resume it (paused by hand at this end)" : what;
    }

    private static long seconds(long nanos) {
        return Duration.ofNanos(nanos).toSeconds();
    }
}
