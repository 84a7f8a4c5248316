package io.sluice.netty.metrics;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.netty.StreamingNode;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.metrics.Activity;
import io.sluice.streaming.metrics.NodeMetrics;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.metrics.WaitSample;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.progress.StreamActivity.StreamCounters;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Publishes the metrics of a node to Micrometer, such as {@code sluice.sent}; docs/operations.md lists the meters.
 * Micrometer is an optional dependency: only users of this class need it. Thread-safe.
 *
 * @implNote Micrometer holds the object of a meter weakly and its function strongly. Here the functions hold the
 *     objects that they read: otherwise meters whose objects nothing else references would fall to 0, or keep their
 *     last value, after a garbage collection.
 */
@SuppressWarnings("exports") // only users of this class require Micrometer
public final class StreamMeters implements MeterBinder, AutoCloseable {
    /** From an install of one small table to a plan of a day; docs/operations.md lists them. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(10),
        Duration.ofMillis(100),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(15),
        Duration.ofMinutes(1),
        Duration.ofMinutes(5),
        Duration.ofMinutes(15),
        Duration.ofHours(1),
        Duration.ofHours(4),
        Duration.ofHours(12),
        Duration.ofDays(1)
    };

    private final NodeMetrics node;
    private final Tags tags;
    /** What is bound to each registry; guarded by this, as is the next. */
    private final Map<MeterRegistry, Target> bound = new HashMap<>();

    private final List<Runnable> listening = new ArrayList<>();

    /**
     * Creates a binder that is not bound yet.
     *
     * @param node a closed node keeps its last values until {@link #close}
     * @param tags for all meters, such as the node's name: two nodes must not have the same
     */
    public StreamMeters(StreamingNode node, Tags tags) {
        this(node.part(NodeMetrics.class), tags);
    }

    StreamMeters(NodeMetrics node, Tags tags) {
        this.node = node;
        this.tags = tags;
    }

    /**
     * Publishes the metrics in {@code registry}; has no effect if they are there already. A meter of the same name and
     * tags that is there, as of a node that this one follows, is replaced.
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (bound.containsKey(registry)) {
            return;
        }
        Target target = new Target(registry, tags);
        bound.put(registry, target);
        bindBytes(target);
        bindCounts(target);
        bindWork(target);
        bindQueues(target);
        bindVolumes(target);
        bindHealth(target);
    }

    /** Removes the meters from all registries, but those that another node has replaced. Idempotent. */
    @Override
    public synchronized void close() {
        listening.forEach(Runnable::run);
        listening.clear();
        bound.values().forEach(Target::removeAll);
        bound.clear();
    }

    private void bindBytes(Target target) {
        listening.add(node.traffic()
                .sentByTable()
                .onCount(count -> target.bytes("sluice.sent", "File bytes written to sockets", count)));
        listening.add(node.traffic()
                .receivedByTable()
                .onCount(count -> target.bytes("sluice.received", "File bytes written to staged files", count)));
    }

    private void bindCounts(Target target) {
        count(target, "sluice.sent.regions", "Regions of files handed to sockets", StreamCounters::regionsSent);
        count(target, "sluice.socket.reads", "Reads of data connections", StreamCounters::socketReads);
        count(target, "sluice.file.writes", "Writes of staged files", StreamCounters::fileWrites);
        count(target, "sluice.syncs", "Syncs of files and directories", StreamCounters::syncs);
        count(target, "sluice.sstables.staged", "SSTables received and durable", StreamCounters::sstablesStaged);
        count(
                target,
                "sluice.connections.refused",
                "Connections refused before or during their handshake",
                StreamCounters::connectionsRefused);
    }

    private void count(Target target, String name, String what, ToDoubleFunction<StreamCounters> value) {
        target.count(
                name,
                what,
                Tags.empty(),
                () -> value.applyAsDouble(node.traffic().counters()));
    }

    private void bindWork(Target target) {
        work(target, "sluice.plans", "plan", Tags.empty(), node.traffic().plans());
        work(
                target,
                "sluice.sessions",
                "session_in",
                Tags.of("direction", "in"),
                node.traffic().incoming());
        work(
                target,
                "sluice.sessions",
                "session_out",
                Tags.of("direction", "out"),
                node.traffic().outgoing());
        work(target, "sluice.installs", "install", Tags.empty(), node.traffic().tableInstalls());
    }

    private void work(Target target, String name, String scope, Tags own, Activity activity) {
        Map<Activity.Outcome, Timer> timers = new EnumMap<>(Activity.Outcome.class);
        for (Activity.Outcome outcome : Activity.Outcome.values()) {
            timers.put(
                    outcome,
                    target.timer(name, own.and("outcome", outcome.name().toLowerCase(Locale.ROOT))));
        }
        listening.add(activity.onEnd(
                (outcome, nanos) -> requireNonNull(timers.get(outcome)).record(nanos, TimeUnit.NANOSECONDS)));
        target.gauge(
                name + ".active",
                "Number that are running now",
                own,
                () -> activity.running().count());
        target.seconds(
                "sluice.running.oldest",
                "Age of the oldest one that is running",
                Tags.of("scope", scope),
                () -> activity.running().oldestNanos(node.nanoTime().getAsLong()) / 1e9);
        for (ErrorCode code : ErrorCode.values()) {
            target.count(
                    "sluice.failures",
                    "Number that ended with this code",
                    Tags.of("scope", scope, "code", code.name()),
                    () -> activity.failures(code));
        }
    }

    private void bindQueues(Target target) {
        QueueLevels levels = new QueueLevels(node);
        for (QueueSample queue : levels.queues()) {
            Tags own = Tags.of("queue", queue.name(), "unit", queue.unit());
            target.gauge(
                    "sluice.queue.used", "Current fill level", own, () -> levels.of(queue.name(), QueueSample::used));
            target.gauge(
                    "sluice.queue.limit",
                    "Maximum fill level; 0 if only its users are limited",
                    own,
                    () -> levels.of(queue.name(), QueueSample::limit));
        }
        for (WaitSample wait : node.waits().get()) {
            target.seconds(
                    "sluice.queue.wait.oldest",
                    "Waiting time of the oldest entry",
                    Tags.of("queue", wait.name()),
                    () -> node.waits().get().stream()
                            .filter(now -> now.name().equals(wait.name()))
                            .mapToDouble(now -> now.oldestNanos() / 1e9)
                            .sum());
        }
    }

    /** Volumes are known from the start: one series for each volume of the database. */
    private void bindVolumes(Target target) {
        for (VolumeSample volume : node.volumes().get()) {
            Tags own = Tags.of("volume", volume.directory().toString());
            volume(target, "free", "Bytes that are free for received data", own, VolumeSample::freeBytes);
            volume(target, "reserved", "Bytes reserved for extents not received yet", own, VolumeSample::reservedBytes);
            volume(target, "headroom", "Bytes left to the database", own, VolumeSample::headroomBytes);
            volume(target, "operations", "Operations that wait for its disk", own, VolumeSample::operations);
            volume(
                    target,
                    "failed",
                    "1 if the volume failed and is not used until the node restarts",
                    own,
                    now -> now.failure().isPresent() ? 1 : 0);
        }
    }

    private void volume(Target target, String name, String what, Tags own, ToDoubleFunction<VolumeSample> value) {
        String directory = own.iterator().next().getValue();
        target.gauge(
                "sluice.volume." + name,
                what,
                own,
                () -> node.volumes().get().stream()
                        .filter(volume -> volume.directory().toString().equals(directory))
                        .mapToDouble(value)
                        .sum());
    }

    private void bindHealth(Target target) {
        target.gauge(
                "sluice.staging.suspect",
                "1 if nothing is installed until the node restarts",
                Tags.empty(),
                () -> node.isSuspect().getAsBoolean() ? 1 : 0);
        if (node.certificateExpiry().get().isPresent()) {
            target.seconds(
                    "sluice.certificate.expires.in",
                    "Time until a certificate of this node expires; negative afterwards",
                    Tags.empty(),
                    this::secondsLeft);
        }
    }

    private double secondsLeft() {
        return node.certificateExpiry()
                .get()
                .map(end -> (double) Duration.between(Instant.now(), end).toSeconds())
                .orElse(Double.NaN);
    }

    /** Registers meters whose functions hold the objects that they read. Thread-safe. */
    private static final class Target {
        private final MeterRegistry registry;
        private final Tags tags;
        /** Its meters, by identity; guarded by this, as is the next. */
        private final Set<Meter> meters = Collections.newSetFromMap(new IdentityHashMap<>());

        private boolean isOver;

        Target(MeterRegistry registry, Tags tags) {
            this.registry = registry;
            this.tags = tags;
        }

        synchronized void bytes(String name, String what, TableBytes.Count count) {
            if (isOver) { // the first bytes of a table, meanwhile
                return;
            }
            meters.add(FunctionCounter.builder(name, count, weaklyHeld -> count.sum())
                    .baseUnit("bytes")
                    .description(what)
                    .tags(free(name, Tags.of("mode", count.mode(), "table", count.table())))
                    .register(registry));
        }

        synchronized void count(String name, String what, Tags own, DoubleSupplier value) {
            meters.add(FunctionCounter.builder(name, value, weaklyHeld -> value.getAsDouble())
                    .description(what)
                    .tags(free(name, own))
                    .register(registry));
        }

        synchronized void gauge(String name, String what, Tags own, DoubleSupplier value) {
            meters.add(Gauge.builder(name, value, weaklyHeld -> value.getAsDouble())
                    .description(what)
                    .tags(free(name, own))
                    .register(registry));
        }

        synchronized void seconds(String name, String what, Tags own, Supplier<Number> value) {
            meters.add(TimeGauge.builder(
                            name,
                            value,
                            TimeUnit.SECONDS,
                            weaklyHeld -> value.get().doubleValue())
                    .description(what)
                    .tags(free(name, own))
                    .register(registry));
        }

        synchronized Timer timer(String name, Tags own) {
            Timer timer = Timer.builder(name)
                    .description("Number that ended since this registry was bound, and their durations")
                    .serviceLevelObjectives(BUCKETS)
                    .tags(free(name, own))
                    .register(registry);
            meters.add(timer);
            return timer;
        }

        /**
         * All tags of a meter, once a meter of before is removed: a registry would keep that in place of the new one.
         */
        private Tags free(String name, Tags own) {
            Tags all = tags.and(own);
            registry.removeByPreFilterId(new Meter.Id(name, all, null, null, Meter.Type.OTHER));
            return all;
        }

        synchronized void removeAll() {
            isOver = true;
            registry.getMeters().stream().filter(meters::contains).forEach(registry::remove);
        }
    }
}
