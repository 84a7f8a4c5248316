package io.sluice.streaming.session;

import io.sluice.streaming.Deadlines;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The clock of one end of a session: what it waits for and until when, when it last heard of the other end, and when to
 * give a sign of life. Told the time, never asking for it. Not thread-safe.
 */
final class SessionTimeouts {
    /** So many deadlines may pass on the other end's word alone: who only ever says that it works is not waited for. */
    private static final int MAX_EXTENSIONS_BY_PEER = 10;

    private final Deadlines deadlines;
    private final ConnectionLiveness liveness;
    private Waiting waitingFor;
    private long sinceNanos;
    private long untilNanos;
    /** When this end last saw something done. */
    private long lastProgressNanos;

    private long peersProgress = -1;
    private Optional<Message.Doing> peer = Optional.empty();
    private boolean isPaused;
    private long pausedTicks;

    SessionTimeouts(Deadlines deadlines, String peer, Waiting what, long nowNanos) {
        this.deadlines = deadlines;
        this.liveness = new ConnectionLiveness(deadlines, peer, nowNanos);
        this.waitingFor = what;
        this.sinceNanos = nowNanos;
        this.untilNanos = nowNanos + deadlines.prepare().toNanos();
        this.lastProgressNanos = nowNanos;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    /** From now on it waits for {@code next}. */
    void waitFor(Waiting next, Duration timeout, long nowNanos) {
        waitingFor = next;
        sinceNanos = nowNanos;
        untilNanos = nowNanos + timeout.toNanos();
        lastProgressNanos = nowNanos;
    }

    /** Something of what it waits for has come: the deadline begins anew. */
    void progress(long nowNanos) {
        lastProgressNanos = nowNanos;
        prolong(nowNanos);
    }

    private void prolong(long nowNanos) {
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
    long progressToSend(long receivedBytes) {
        return isPaused ? -1 - ++pausedTicks : receivedBytes;
    }

    /** The other end said something. */
    void received(long nowNanos) {
        liveness.received(nowNanos);
    }

    /**
     * The other end told what it does and how far it is: as long as that changes, it is worth waiting; but not for
     * ever, unless somebody has paused it.
     */
    void received(Message.KeepAlive heartbeat, long nowNanos) {
        peer = Optional.of(heartbeat.doing());
        if (heartbeat.progress() == peersProgress) {
            return;
        }
        peersProgress = heartbeat.progress();
        boolean isPeerPaused = heartbeat.progress() < 0;
        if (isPeerPaused || nowNanos - lastProgressNanos <= MAX_EXTENSIONS_BY_PEER * (untilNanos - sinceNanos)) {
            prolong(nowNanos);
        }
    }

    /** Whether it is time for a sign of life; if so, the next one is due a period later. */
    boolean isHeartbeatDue(long nowNanos) {
        boolean isDue = liveness.isHeartbeatDue(nowNanos);
        if (isDue) {
            liveness.sent(nowNanos);
        }
        return isDue;
    }

    /** What has been waited for too long, as a sentence; empty if nothing. To be called at least once per heartbeat. */
    Optional<String> overdue(long nowNanos) {
        if (liveness.wasFrozen(nowNanos)) {
            progress(nowNanos);
        }
        Optional<String> silence = liveness.silence(nowNanos);
        if (silence.isPresent()) {
            return silence;
        }
        if (isPaused) {
            progress(nowNanos);
        }
        if (nowNanos > untilNanos) {
            return Optional.of("waited " + seconds(nowNanos - sinceNanos) + " s for " + waitingFor.text());
        }
        return Optional.empty();
    }

    /** What it waits for, and what the peer waits for, as far as it said. */
    Wait waiting(long nowNanos, Instant now) {
        Instant since = now.minusNanos(nowNanos - sinceNanos);
        String doing = peer.map(word -> "the peer waits for " + word.text()).orElse("");
        return isPaused
                ? new Wait(Waiting.RESUME, since, Optional.empty(), doing)
                : new Wait(waitingFor, since, Optional.of(Duration.ofNanos(untilNanos - sinceNanos)), doing);
    }

    /** What a sign of life says. */
    Message.Doing doing(long verifiedBytes, long durableBytes, int queued, long nowNanos) {
        String stage = isPaused ? "somebody to resume it (paused by hand at this end)" : waitingFor.text();
        return new Message.Doing(stage, (int) seconds(nowNanos - sinceNanos), verifiedBytes, durableBytes, queued);
    }

    private static long seconds(long nanos) {
        return Duration.ofNanos(nanos).toSeconds();
    }
}
