package io.sluice.streaming.metrics;

import io.sluice.streaming.ErrorCode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * One kind of work of a node, as its plans: what runs now, and how often, after how long and why it has ended.
 * Thread-safe.
 */
public final class Activity {
    private final Waits running = new Waits();
    private final Map<Outcome, Ended> ended = new ConcurrentHashMap<>();
    private final Map<ErrorCode, LongAdder> failures = new ConcurrentHashMap<>();

    /** How work ends. */
    public enum Outcome {
        /** All of it is done. */
        COMPLETE,
        /** Not all of it is. */
        FAILED,
        /** Somebody did not want it any more, as an operator, the database or a shutdown. */
        CANCELLED
    }

    private record Ended(LongAdder count, LongAdder nanos) {
        Ended() {
            this(new LongAdder(), new LongAdder());
        }
    }

    /** A piece of work that runs. */
    public final class Run {
        private final Waits.Wait wait;
        private final long beganNanos;
        private final AtomicBoolean isOver = new AtomicBoolean();

        private Run(long beganNanos) {
            this.beganNanos = beganNanos;
            this.wait = running.begin(beganNanos);
        }

        /** It has ended; a second end counts for nothing. */
        public void end(Optional<ErrorCode> failure, long nowNanos) {
            if (isOver.compareAndSet(false, true)) {
                wait.end();
                count(failure, nowNanos - beganNanos);
            }
        }
    }

    /** A piece of work begins. */
    public Run begin(long nowNanos) {
        return new Run(nowNanos);
    }

    private void count(Optional<ErrorCode> failure, long nanos) {
        Outcome outcome = failure.map(code ->
                        code == ErrorCode.CANCELLED || code == ErrorCode.DISCARDED ? Outcome.CANCELLED : Outcome.FAILED)
                .orElse(Outcome.COMPLETE);
        Ended kind = ended(outcome);
        kind.count().increment();
        kind.nanos().add(nanos);
        failure.ifPresent(code -> failed(code).increment());
    }

    private Ended ended(Outcome outcome) {
        return ended.computeIfAbsent(outcome, first -> new Ended());
    }

    private LongAdder failed(ErrorCode code) {
        return failures.computeIfAbsent(code, first -> new LongAdder());
    }

    /** What runs, the oldest first. */
    public Waits running() {
        return running;
    }

    /** How often it has ended so. */
    public long count(Outcome outcome) {
        return ended(outcome).count().sum();
    }

    /** How long all that has ended so took together. */
    public long nanos(Outcome outcome) {
        return ended(outcome).nanos().sum();
    }

    /** How often it has ended with {@code code}. */
    public long failures(ErrorCode code) {
        return failed(code).sum();
    }
}
