package io.sluice.simulation.fluid;

import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.PlanCoordinator.Action;
import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.session.RetryPolicy;
import io.sluice.streaming.session.SessionSettings;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** What one node fetches: performs what the production coordinator decides. Not thread-safe. */
final class FluidPlan {
    final FluidCluster cluster;
    final StreamPlan plan;
    final Machine target;
    private final SessionSettings settings;
    private final PlanCoordinator coordinator;
    private final Map<Integer, FluidSession> sessions = new HashMap<>();
    private final Map<String, Long> arrivedBytes = new TreeMap<>();
    private double lastByteSeconds;
    private double endSeconds = -1;
    private Optional<Failure> failure = Optional.empty();
    private int opened;
    private long sstables;
    private long stagedBytes;

    FluidPlan(FluidCluster cluster, StreamPlan plan, Machine target, SessionSettings settings) {
        this.cluster = cluster;
        this.plan = plan;
        this.target = target;
        this.settings = settings;
        this.coordinator = new PlanCoordinator(plan, RetryPolicy.DEFAULTS, new SplittableRandom(1));
    }

    void start() {
        on(new Event.Started());
    }

    void on(Event event) {
        coordinator.on(event).forEach(this::perform);
    }

    private void perform(Action action) {
        if (action instanceof Action.Admit) {
            cluster.clock.after(0, () -> on(new Event.Admitted()));
        } else if (action instanceof Action.Open a) {
            FluidSession session = new FluidSession(this, a, settings);
            sessions.put(a.session(), session);
            opened++;
            session.start();
        } else if (action instanceof Action.Tell a) {
            FluidSession session = sessions.get(a.session());
            if (session != null) {
                session.on(a.event());
            }
        } else if (action instanceof Action.Retry a) {
            cluster.clock.after(a.pause().toMillis() / 1e3, () -> on(new Event.RetryDue(a.session())));
        } else if (action instanceof Action.Install a) {
            cluster.clock.after(
                    cluster.hardware.install(),
                    () -> on(new Event.Installed(a.tableId(), Math.toIntExact(sstables), stagedBytes)));
        } else if (action instanceof Action.Finish a) {
            endSeconds = cluster.clock.nowSeconds();
            failure = a.failure();
        } else if (!(action instanceof Action.Unstage || action instanceof Action.Drop)) {
            throw new IllegalStateException("the model does not know what to do: " + action);
        }
    }

    void arrived(Machine source, long bytes) {
        arrivedBytes.merge(source.name, bytes, Long::sum);
        lastByteSeconds = cluster.clock.nowSeconds();
    }

    void staged(long bytes) {
        sstables++;
        stagedBytes += bytes;
    }

    /** Kills the source that has most left to send; empty if none has anything left. */
    Optional<Machine> killBusiestSource() {
        Optional<FluidSession> busiest = sessions.values().stream()
                .filter(session -> session.leftBytes() > 0)
                .max(Comparator.comparingLong(FluidSession::leftBytes));
        busiest.ifPresent(session -> {
            session.source().isDead = true;
            sessions.values().stream()
                    .filter(other -> other.source() == session.source())
                    .forEach(FluidSession::sourceDied);
        });
        return busiest.map(FluidSession::source);
    }

    boolean hasEnded() {
        return endSeconds >= 0;
    }

    double endSeconds() {
        return endSeconds;
    }

    double lastByteSeconds() {
        return lastByteSeconds;
    }

    Optional<Failure> failure() {
        return failure;
    }

    Map<String, Long> arrivedBytes() {
        return arrivedBytes;
    }

    long sstables() {
        return sstables;
    }

    int opened() {
        return opened;
    }
}
