package io.sluice.streaming.log;

import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * What the log lines of a thread are about, as keys of SLF4J's MDC. They are set where work is handed over to a thread,
 * and what was there before is restored afterwards: so threads may be shared. Immutable.
 *
 * @param plan id of a stream plan; absent if null
 * @param peer id of the node at the other end of a session
 * @param table keyspace and name, with a dot between; the id where no more is known
 */
public record LogKeys(
        @Nullable String plan,
        @Nullable String peer,
        @Nullable String table) {
    /** Key of the MDC. */
    public static final String PLAN = "plan";
    /** Key of the MDC. */
    public static final String PEER = "peer";
    /** Key of the MDC. */
    public static final String TABLE = "table";

    /** Of a plan. */
    public static LogKeys of(UUID plan) {
        return new LogKeys(plan.toString(), null, null);
    }

    /** Of a session. */
    public static LogKeys of(UUID plan, UUID peer) {
        return new LogKeys(plan.toString(), peer.toString(), null);
    }

    /** Of the calling thread. */
    public static LogKeys current() {
        return new LogKeys(MDC.get(PLAN), MDC.get(PEER), MDC.get(TABLE));
    }

    /** The same, about one table: a {@code TableRef}, or its id where no more is known. */
    public LogKeys withTable(Object about) {
        return new LogKeys(plan, peer, about.toString());
    }

    /** Runs {@code work} with these keys, and no other ones of ours. */
    public void run(Runnable work) {
        Scope scope = enter();
        try {
            work.run();
        } finally {
            scope.leave();
        }
    }

    /** Runs {@code work} with these keys, on whichever thread. */
    public Runnable around(Runnable work) {
        return () -> run(work);
    }

    /** The lines of this thread are about these keys until it leaves; for where {@link #run} would cost too much. */
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

    /** What the keys of a thread were before. Confined to that thread; left once. */
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
