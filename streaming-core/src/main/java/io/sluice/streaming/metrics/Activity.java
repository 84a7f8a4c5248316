package io.sluice.streaming.metrics;

import io.sluice.streaming.ErrorCode;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * One kind of work of a node, as its plans: what runs now, and how often, after how long and why it has ended.
 * Thread-safe.
 */
public final class Activity {
    private final Waits running = new Waits();
    /** By outcome. */
    private final List<Ended> ended =
            Stream.of(Outcome.values()).map(outcome -> new Ended()).toList();
    /** By code. */
    private final List<LongAdder> failures =
            Stream.of(ErrorCode.values()).map(code -> new LongAdder()).toList();

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
        Ended kind = ended.get(outcome.ordinal());
        kind.count().increment();
        kind.nanos().add(nanos);
        failure.ifPresent(code -> failures.get(code.ordinal()).increment());
    }

    /** What runs, the oldest first. */
    public Waits running() {
        return running;
    }

    /** How often it has ended so. */
    public long count(Outcome outcome) {
        return ended.get(outcome.ordinal()).count().sum();
    }

    /** How long all that has ended so took together. */
    public long nanos(Outcome outcome) {
        return ended.get(outcome.ordinal()).nanos().sum();
    }

    /** How often it has ended with {@code code}. */
    public long failures(ErrorCode code) {
        return failures.get(code.ordinal()).sum();
    }
}
