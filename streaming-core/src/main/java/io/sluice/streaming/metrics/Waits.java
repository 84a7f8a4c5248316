package io.sluice.streaming.metrics;

import java.util.LinkedHashSet;
import java.util.Set;

/** The current waits for a resource, and the age of the oldest. Thread-safe. */
public final class Waits {
    /** In the order of their beginning; guarded by this. */
    private final Set<Wait> waiting = new LinkedHashSet<>();

    /** A wait. */
    public final class Wait {
        private final long beganNanos;

        private Wait(long beganNanos) {
            this.beganNanos = beganNanos;
        }

        /** Ends the wait. Idempotent. */
        public void end() {
            remove(this);
        }
    }

    /** Begins a wait. */
    public synchronized Wait begin(long nowNanos) {
        Wait wait = new Wait(nowNanos);
        waiting.add(wait);
        return wait;
    }

    private synchronized void remove(Wait wait) {
        waiting.remove(wait);
    }

    /** The number of waits. */
    public synchronized int count() {
        return waiting.size();
    }

    /** The age of the oldest wait; 0 if there is none. */
    public synchronized long oldestNanos(long nowNanos) {
        return waiting.isEmpty() ? 0 : Math.max(0, nowNanos - waiting.iterator().next().beganNanos);
    }
}
