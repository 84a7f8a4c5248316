package io.sluice.streaming.metrics;

import java.util.LinkedHashSet;
import java.util.Set;

/** Those who wait for something now, and since when the one does that began first. Thread-safe. */
public final class Waits {
    /** In the order in which they began; guarded by this. */
    private final Set<Wait> waiting = new LinkedHashSet<>();

    /** One of them. */
    public final class Wait {
        private final long beganNanos;

        private Wait(long beganNanos) {
            this.beganNanos = beganNanos;
        }

        /** It waits no longer; again, it does nothing. */
        public void end() {
            remove(this);
        }
    }

    /** One begins to wait. */
    public synchronized Wait begin(long nowNanos) {
        Wait wait = new Wait(nowNanos);
        waiting.add(wait);
        return wait;
    }

    private synchronized void remove(Wait wait) {
        waiting.remove(wait);
    }

    /** How many wait. */
    public synchronized int count() {
        return waiting.size();
    }

    /** For how long the one has waited that began first; 0 if none waits. */
    public synchronized long oldestNanos(long nowNanos) {
        return waiting.isEmpty() ? 0 : Math.max(0, nowNanos - waiting.iterator().next().beganNanos);
    }
}
