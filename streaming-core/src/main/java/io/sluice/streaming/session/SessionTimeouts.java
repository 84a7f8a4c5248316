package io.sluice.streaming.session;

import io.sluice.streaming.Deadlines;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The timeouts of one end of a session: what it waits for and until when, whether the peer is alive, and when a
 * heartbeat is due. Time is always an argument. Not thread-safe.
 */
final class SessionTimeouts {
    /**
     * How many times the deadline is extended by reports of the peer alone: a peer that only claims progress eventually
     * times out.
     */
    private static final int MAX_EXTENSIONS_BY_PEER = 10;

    private final Deadlines deadlines;
    private final ConnectionLiveness liveness;
    private Waiting waitingFor;
    private long sinceNanos;
    private long untilNanos;
    /** Whether only the silence deadline applies, because others decide how long it waits. */
    private boolean isForOthers;
    /** When this end last made progress. */
    private long lastProgressNanos;

    private long peersProgress = -1;
    private Optional<Message.Doing> peer = Optional.empty();
    private boolean isPaused;
    private long patientTicks;

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

    /** Waits for {@code next} from now on. */
    void waitFor(Waiting next, Duration timeout, long nowNanos) {
        isForOthers = false;
        waitingFor = next;
        sinceNanos = nowNanos;
        untilNanos = nowNanos + timeout.toNanos();
        lastProgressNanos = nowNanos;
    }

    /** Waits for {@code next} from now on, unless it is what it waits for. */
    void waitInstead(Waiting next, Duration timeout, long nowNanos) {
        if (waitingFor != next) {
            waitFor(next, timeout, nowNanos);
        }
    }

    /** Waits for {@code next}, which depends on neither end, from now on: only the silence deadline applies. */
    void waitForOthers(Waiting next, long nowNanos) {
        waitFor(next, Duration.ZERO, nowNanos);
        isForOthers = true;
    }

    /** Progress was made with {@code what}: if it is awaited, the deadline restarts. */
    void progress(Waiting what, long nowNanos) {
        if (waitingFor == what) {
            progress(nowNanos);
        }
    }

    /** Progress was made: the deadline restarts. */
    void progress(long nowNanos) {
        lastProgressNanos = nowNanos;
        prolong(nowNanos);
    }

    private void prolong(long nowNanos) {
        untilNanos = nowNanos + (untilNanos - sinceNanos);
        sinceNanos = nowNanos;
    }

    /** The session is paused: until it is resumed only the silence deadline applies. */
    void pause() {
        isPaused = true;
    }

    /** The session is resumed: the deadline restarts. */
    void resume(long nowNanos) {
        isPaused = false;
        progress(nowNanos);
    }

    boolean isPaused() {
        return isPaused;
    }

    /**
     * The progress that a heartbeat reports: {@code done}, which grows with what this end does; while paused or waiting
     * for others a negative number that changes each time, so that the peer keeps waiting.
     */
    long progressToSend(long done) {
        return isPaused || isForOthers ? -1 - ++patientTicks : done;
    }

    /** The peer sent something. */
    void received(long nowNanos) {
        liveness.received(nowNanos);
    }

    /**
     * The receiver reported its progress. A change extends the deadline, but only a limited number of times unless the
     * receiver is paused or waits for others.
     */
    void receivedFromReceiver(Message.KeepAlive heartbeat, long nowNanos) {
        received(heartbeat, heartbeat.progress() < 0, nowNanos);
    }

    /** The source reported its progress. A change extends the deadline, but only a limited number of times. */
    void receivedFromSource(Message.KeepAlive heartbeat, long nowNanos) {
        received(heartbeat, false, nowNanos);
    }

    private void received(Message.KeepAlive heartbeat, boolean isPeerPatient, long nowNanos) {
        peer = Optional.of(heartbeat.doing());
        if (heartbeat.progress() == peersProgress) {
            return;
        }
        peersProgress = heartbeat.progress();
        if (isPeerPatient || nowNanos - lastProgressNanos <= MAX_EXTENSIONS_BY_PEER * (untilNanos - sinceNanos)) {
            prolong(nowNanos);
        }
    }

    /** Whether a heartbeat is due; if so, the next one is due a period later. */
    boolean isHeartbeatDue(long nowNanos) {
        boolean isDue = liveness.isHeartbeatDue(nowNanos);
        if (isDue) {
            liveness.sent(nowNanos);
        }
        return isDue;
    }

    /**
     * Describes the deadline that has passed, as a sentence; empty if none has. To be called at least once per
     * heartbeat period.
     */
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
        if (nowNanos > untilNanos && !isForOthers) {
            return Optional.of("waited " + seconds(nowNanos - sinceNanos) + " s for " + waitingFor.text());
        }
        return Optional.empty();
    }

    /** What this end waits for, and what the peer reports that it waits for. */
    Wait waiting(long nowNanos, Instant now) {
        Instant since = now.minusNanos(nowNanos - sinceNanos);
        String doing = peer.map(word -> "the peer waits for " + word.text()).orElse("");
        return isPaused
                ? new Wait(Waiting.RESUME, since, Optional.empty(), doing)
                : new Wait(waitingFor, since, limit(), doing);
    }

    private Optional<Duration> limit() {
        return isForOthers ? Optional.empty() : Optional.of(Duration.ofNanos(untilNanos - sinceNanos));
    }

    /** The content of a heartbeat. */
    Message.Doing doing(long verifiedBytes, long durableBytes, int queued, long nowNanos) {
        String stage = isPaused ? "an operator to resume the plan (paused at this node)" : waitingFor.text();
        return new Message.Doing(stage, (int) seconds(nowNanos - sinceNanos), verifiedBytes, durableBytes, queued);
    }

    private static long seconds(long nanos) {
        return Duration.ofNanos(nanos).toSeconds();
    }
}
