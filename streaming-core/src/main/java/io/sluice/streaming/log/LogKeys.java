package io.sluice.streaming.log;

import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The MDC keys (SLF4J) of log lines. They are set when work is handed over to a thread, and the previous keys are
 * restored afterwards, so that threads can be shared. Immutable.
 *
 * @param plan id of a stream plan; absent if null
 * @param peer id of the node at the other end of a session
 * @param table keyspace and name, separated by a dot; the id if the name is unknown
 */
public record LogKeys(
        @Nullable String plan,
        @Nullable String peer,
        @Nullable String table) {
    /** A key of the MDC. */
    public static final String PLAN = "plan";
    /** A key of the MDC. */
    public static final String PEER = "peer";
    /** A key of the MDC. */
    public static final String TABLE = "table";

    /** The keys of a plan. */
    public static LogKeys of(UUID plan) {
        return new LogKeys(plan.toString(), null, null);
    }

    /** The keys of a session. */
    public static LogKeys of(UUID plan, UUID peer) {
        return new LogKeys(plan.toString(), peer.toString(), null);
    }

    /** The keys of the calling thread. */
    public static LogKeys current() {
        return new LogKeys(MDC.get(PLAN), MDC.get(PEER), MDC.get(TABLE));
    }

    /** A copy with a table: a {@code TableRef}, or its id if the name is unknown. */
    public LogKeys withTable(Object about) {
        return new LogKeys(plan, peer, about.toString());
    }

    /** Runs {@code work} with exactly these keys of Sluice. */
    public void run(Runnable work) {
        Scope scope = enter();
        try {
            work.run();
        } finally {
            scope.leave();
        }
    }

    /** Wraps {@code work} so that it runs with these keys, on any thread. */
    public Runnable around(Runnable work) {
        return () -> run(work);
    }

    /**
     * Sets these keys on this thread until {@link Scope#leave}; for callers for which {@link #run} would be too
     * expensive.
     */
    public Scope enter() {
        Scope scope = new Scope(this, MDC.get(PLAN), MDC.get(PEER), MDC.get(TABLE));
        change(PLAN, scope.plan, plan);
        change(PEER, scope.peer, peer);
        change(TABLE, scope.table, table);
        return scope;
    }

    private static void change(String key, @Nullable String from, @Nullable String to) {
        if (Objects.equals(from, to)) {
            return;
        }
        if (to == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, to);
        }
    }

    /** The previous keys of a thread. Confined to that thread; left once. */
    public static final class Scope {
        private final LogKeys entered;
        private final @Nullable String plan;
        private final @Nullable String peer;
        private final @Nullable String table;

        private Scope(LogKeys entered, @Nullable String plan, @Nullable String peer, @Nullable String table) {
            this.entered = entered;
            this.plan = plan;
            this.peer = peer;
            this.table = table;
        }

        /** Restores them. */
        public void leave() {
            change(PLAN, entered.plan, plan);
            change(PEER, entered.peer, peer);
            change(TABLE, entered.table, table);
        }
    }
}
