package io.sluice.streaming.metrics;

import io.sluice.streaming.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** Tracks one kind of work of a node, such as its plans: running work, durations and failures. Thread-safe. */
public final class Activity {
    private final Waits running = new Waits();
    private final Map<ErrorCode, LongAdder> failures = new ConcurrentHashMap<>();
    private final List<EndListener> listeners = new CopyOnWriteArrayList<>();

    /** How work ends. */
    public enum Outcome {
        /** Everything is done. */
        COMPLETE,
        /** Not everything is done. */
        FAILED,
        /** An operator, the database or a shutdown cancelled it. */
        CANCELLED
    }

    /** Notified of each end of work. */
    @FunctionalInterface
    public interface EndListener {
        /** Called by the thread that ends the work: must neither block nor throw. */
        void ended(Outcome outcome, long durationNanos);
    }

    /** A running piece of work. */
    public final class Run {
        private final Waits.Wait wait;
        private final long beganNanos;
        private final AtomicBoolean isOver = new AtomicBoolean();

        private Run(long beganNanos) {
            this.beganNanos = beganNanos;
            this.wait = running.begin(beganNanos);
        }

        /** Ends it; a second call has no effect. */
        public void end(Optional<ErrorCode> failure, long nowNanos) {
            if (isOver.compareAndSet(false, true)) {
                wait.end();
                count(failure, nowNanos - beganNanos);
            }
        }
    }

    /** Begins a piece of work. */
    public Run begin(long nowNanos) {
        return new Run(nowNanos);
    }

    private void count(Optional<ErrorCode> failure, long nanos) {
        Outcome outcome = failure.map(code ->
                        code == ErrorCode.CANCELLED || code == ErrorCode.DISCARDED ? Outcome.CANCELLED : Outcome.FAILED)
                .orElse(Outcome.COMPLETE);
        failure.ifPresent(code -> failed(code).increment());
        listeners.forEach(listener -> listener.ended(outcome, nanos));
    }

    private LongAdder failed(ErrorCode code) {
        return failures.computeIfAbsent(code, first -> new LongAdder());
    }

    /** The running work, the oldest first. */
    public Waits running() {
        return running;
    }

    /**
     * Notifies {@code listener} of all work that ends from now on.
     *
     * @return ends that
     */
    public Runnable onEnd(EndListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** The number of failures with {@code code}. */
    public long failures(ErrorCode code) {
        return failed(code).sum();
    }
}
