package io.sluice.hook;

import java.io.PrintStream;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Called by Cassandra before it requests data; answers the agent over JMX. Thread-safe. */
public final class Hook implements HookMXBean {
    /** The code inserted into Cassandra can only call a static method; a process has one hook. */
    private static final Hook INSTANCE = new Hook(HookOptions.ofProcess());

    // If this property is unset and marks exist, Cassandra does not start or resume: its operator must decide what they
    // mean.
    private static final String RESET_PROPERTY = "cassandra.reset_bootstrap_progress";

    private final HookOptions options;
    private volatile Optional<Latest> latest = Optional.empty();

    private Hook(HookOptions options) {
        this.options = options;
    }

    /** What the node does, as far as the hook has to do with it; the names are those of the MXBean. */
    private enum State {
        IDLE,
        HOLDING,
        LET_GO
    }

    /** The latest hold and its operation. */
    private static final class Latest {
        private final BootstrapHold hold;
        private final CassandraRanges ranges;

        Latest(BootstrapHold hold, CassandraRanges ranges) {
            this.hold = hold;
            this.ranges = ranges;
        }
    }

    static Hook instance() {
        return INSTANCE;
    }

    /**
     * Called by Cassandra with its {@code RangeStreamer}; waits until the node may request data.
     *
     * @throws IllegalStateException if it never may, since marks of an earlier wait cannot be cleared
     */
    public static void beforeFetch(Object streamer) {
        INSTANCE.hold(streamer);
    }

    private void hold(Object streamer) {
        clearStaleMarks(streamer.getClass().getClassLoader());
        CassandraRanges ranges;
        try {
            ranges = new CassandraRanges(streamer);
        } catch (ReflectiveOperationException | RuntimeException e) {
            say("cannot read Cassandra's plan, so Cassandra streams by itself: " + e);
            return;
        }
        if (ranges.plan().isEmpty()) {
            return;
        }
        BootstrapHold hold = new BootstrapHold(
                UUID.randomUUID().toString(), ranges.plan(), ranges, options.agentTimeoutNanos(), System.nanoTime());
        latest = Optional.of(new Latest(hold, ranges));
        say(ranges.operation() + ": waiting for an agent, hold " + hold.id());
        hold.await(System::nanoTime);
        if (!hold.marked().isEmpty()) {
            System.setProperty(RESET_PROPERTY, "false");
        }
        say("continuing after " + getHeldMillis() / 1_000 + " s: " + hold.reason());
    }

    /**
     * Clears marks of an earlier run of this process: the node has missed writes since, and Cassandra would skip what
     * they name, whether the node waits this time or not.
     *
     * @throws IllegalStateException if that fails; Cassandra's operation fails with it
     */
    private static void clearStaleMarks(ClassLoader loader) {
        try {
            CassandraRanges.clear(loader);
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "sluice hook: marks of an earlier wait cannot be cleared: " + e.getMessage()
                            + ", so this node fetches nothing: it would skip ranges of which it has missed writes"
                            + " (expected: no marks; start the node again, and if this comes again and the node has"
                            + " not joined yet, stop it, empty its data directories, and begin again)",
                    e);
        }
    }

    private static void say(String sentence) {
        PrintStream console = System.out;
        console.println("sluice hook: " + sentence);
    }

    private BootstrapHold require(String holdId) {
        Optional<Latest> now = latest;
        if (!now.isPresent() || !now.get().hold.id().equals(holdId)) {
            throw new IllegalStateException(
                    "hold " + holdId + " is not the hold of this node (expected: " + getHoldId() + ")");
        }
        return now.get().hold;
    }

    @Override
    public String getState() {
        return state().name();
    }

    private State state() {
        return latest.map(now -> now.hold.isHolding() ? State.HOLDING : State.LET_GO)
                .orElse(State.IDLE);
    }

    @Override
    public String getHoldId() {
        return latest.map(now -> now.hold.id()).orElse("");
    }

    @Override
    public String getOperation() {
        return latest.map(now -> now.ranges.operation()).orElse("");
    }

    @Override
    public long getHeldMillis() {
        return latest.map(now -> now.hold.heldMillis(System.nanoTime())).orElse(0L);
    }

    @Override
    public String getReason() {
        return latest.map(now -> now.hold.reason()).orElse("");
    }

    @Override
    public long getAgentTimeoutMillis() {
        return options.agentTimeoutMillis();
    }

    @Override
    public Map<String, Map<String, List<String>>> getPlan() {
        return latest.map(now -> now.hold.plan()).orElse(Collections.<String, Map<String, List<String>>>emptyMap());
    }

    @Override
    public Map<String, List<String>> getMarked() {
        return latest.map(now -> now.hold.marked()).orElse(Collections.<String, List<String>>emptyMap());
    }

    @Override
    public void heartbeat(String holdId) {
        require(holdId).heartbeat(System.nanoTime());
    }

    @Override
    public void markAvailable(String holdId, String keyspace, List<String> ranges) {
        require(holdId).mark(keyspace, ranges, System.nanoTime());
    }

    @Override
    public void release(String holdId) {
        require(holdId).letGo("released by the agent", System.nanoTime());
    }

    @Override
    public void abort(String holdId, String reason) {
        require(holdId).letGo("aborted: " + reason, System.nanoTime());
    }

    @Override
    public void clearMarks() {
        if (state() == State.HOLDING) {
            throw new IllegalStateException("marks cannot be cleared while the node waits (release it first)");
        }
        CassandraRanges.clear(ClassLoader.getSystemClassLoader());
    }
}
