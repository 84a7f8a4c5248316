package io.sluice.hook;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Holds the node back once, between Cassandra's planning and its first request for data.
 *
 * <pre>
 * HOLDING -> LET_GO: the agent releases or aborts the hold
 *                    the agent has not called for longer than the limit
 *                    the waiting thread is interrupted
 * </pre>
 *
 * Thread-safe: guarded by itself. {@link Marks} knows what a range is and how to mark it.
 */
final class BootstrapHold {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long LONGEST_WAIT_MILLIS = 1_000;

    private final String id;
    private final Map<String, Map<String, List<String>>> plan;
    private final Marks marks;
    private final long limitNanos;
    private final Map<String, Set<String>> marked = new LinkedHashMap<>();
    private final long startedNanos;
    private long heardNanos;
    private long endedNanos;
    private boolean isHolding = true;
    private String reason = "";

    /** Marks ranges of a keyspace as available, so that the node does not request them. */
    interface Marks {
        /**
         * Marks the ranges.
         *
         * @throws IllegalStateException if Cassandra rejects them
         */
        void add(String keyspace, Set<String> ranges);
    }

    /**
     * Starts a hold.
     *
     * @param plan keyspace, source, ranges
     * @param limitNanos how long the agent may be silent
     */
    BootstrapHold(String id, Map<String, Map<String, List<String>>> plan, Marks marks, long limitNanos, long nowNanos) {
        this.id = id;
        this.plan = plan;
        this.marks = marks;
        this.limitNanos = limitNanos;
        this.startedNanos = nowNanos;
        this.heardNanos = nowNanos;
    }

    String id() {
        return id;
    }

    Map<String, Map<String, List<String>>> plan() {
        return plan;
    }

    synchronized boolean isHolding() {
        return isHolding;
    }

    /** Why the hold ended; empty while it lasts. */
    synchronized String reason() {
        return reason;
    }

    synchronized long heldMillis(long nowNanos) {
        return ((isHolding ? nowNanos : endedNanos) - startedNanos) / NANOS_PER_MILLI;
    }

    /** The ranges marked so far, by keyspace. */
    synchronized Map<String, List<String>> marked() {
        Map<String, List<String>> copy = new LinkedHashMap<>();
        marked.forEach((keyspace, ranges) -> copy.put(keyspace, new java.util.ArrayList<>(ranges)));
        return copy;
    }

    /** Records that the agent is alive. */
    synchronized void heartbeat(long nowNanos) {
        requireHolding(nowNanos);
        heardNanos = nowNanos;
    }

    /**
     * Marks ranges, all of which must be in Cassandra's plan. Marking a range twice has no further effect.
     *
     * @throws IllegalArgumentException if a range is not in the plan
     * @throws IllegalStateException if the node no longer waits
     */
    synchronized void mark(String keyspace, List<String> ranges, long nowNanos) {
        heartbeat(nowNanos);
        Set<String> planned = new LinkedHashSet<>();
        plan.getOrDefault(keyspace, Collections.<String, List<String>>emptyMap())
                .values()
                .forEach(planned::addAll);
        Set<String> wanted = new LinkedHashSet<>(ranges);
        for (String range : wanted) {
            if (!planned.contains(range)) {
                throw new IllegalArgumentException("range " + range + " of keyspace " + keyspace
                        + " is not in the plan of this node (expected: ranges as the attribute Plan has them)");
            }
        }
        marks.add(keyspace, wanted);
        marked.computeIfAbsent(keyspace, key -> new LinkedHashSet<>()).addAll(wanted);
    }

    /** Lets the node continue. */
    synchronized void letGo(String why, long nowNanos) {
        requireHolding(nowNanos);
        end(why, nowNanos);
    }

    /** Waits until the node may continue; returns at once if it may already. */
    synchronized void await(Clock clock) {
        while (isHolding) {
            long silentNanos = clock.nowNanos() - heardNanos;
            if (silentNanos >= limitNanos) {
                end(silence(), clock.nowNanos());
                return;
            }
            try {
                wait(Math.max(1, Math.min(LONGEST_WAIT_MILLIS, (limitNanos - silentNanos) / NANOS_PER_MILLI)));
            } catch (InterruptedException e) {
                end("the waiting thread was interrupted", clock.nowNanos());
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Nanoseconds from an arbitrary origin. */
    interface Clock {
        long nowNanos();
    }

    private void requireHolding(long nowNanos) {
        if (isHolding && nowNanos - heardNanos >= limitNanos) {
            end(silence(), nowNanos); // the waiting thread is about to notice
        }
        if (!isHolding) {
            throw new IllegalStateException("the node no longer waits: " + reason);
        }
    }

    private String silence() {
        return "no agent called for " + limitNanos / NANOS_PER_MILLI / 1_000 + " s";
    }

    private void end(String why, long nowNanos) {
        isHolding = false;
        endedNanos = nowNanos;
        reason = why;
        notifyAll();
    }
}
