package io.sluice.netty.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.netty.StreamingNode;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.metrics.Activity;
import io.sluice.streaming.metrics.NodeMetrics;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.metrics.WaitSample;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.progress.StreamActivity.StreamCounters;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Shows to Micrometer what a node does, as {@code sluice.sent} and so on; docs/operations.md lists the meters.
 * Micrometer is an optional dependency: only who uses this class needs it. Thread-safe.
 *
 * @implNote Micrometer holds the object of a meter weakly and its function strongly. Here functions hold what they
 *     read: without that, meters of a node that nobody else asks fall to 0, or to what they said last, at a collection.
 */
@SuppressWarnings("exports") // who uses it requires Micrometer, nobody else
public final class StreamMeters implements MeterBinder {
    private final NodeMetrics node;
    private final Tags tags;

    /**
     * Not bound yet.
     *
     * @param node which must outlive the registry's use of it; once closed it keeps its last numbers
     * @param tags for all meters, as the node's name
     */
    public StreamMeters(StreamingNode node, Tags tags) {
        this.node = node.part(NodeMetrics.class);
        this.tags = tags;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Target target = new Target(registry, tags);
        bindBytes(target);
        bindCounts(target);
        bindWork(target);
        bindQueues(target);
        bindHealth(target);
    }

    private void bindBytes(Target target) {
        node.traffic()
                .sentByTable()
                .onCount(count -> target.bytes("sluice.sent", "File bytes that sockets have taken", count));
        node.traffic()
                .receivedByTable()
                .onCount(count -> target.bytes("sluice.received", "File bytes that lie in staged files", count));
    }

    private void bindCounts(Target target) {
        count(target, "sluice.sent.regions", "Regions of files given to sockets", StreamCounters::regionsSent);
        count(target, "sluice.socket.reads", "Reads of data connections", StreamCounters::socketReads);
        count(target, "sluice.file.writes", "Writes of staged files", StreamCounters::fileWrites);
        count(target, "sluice.syncs", "Syncs of files and directories", StreamCounters::syncs);
        count(target, "sluice.sstables.staged", "SSTables received and durable", StreamCounters::sstablesStaged);
        count(
                target,
                "sluice.connections.refused",
                "Connections refused before, or by, their handshake",
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
        for (Activity.Outcome outcome : Activity.Outcome.values()) {
            target.timer(
                    name,
                    "How many have ended, and how long they took",
                    own.and("outcome", outcome.name().toLowerCase(Locale.ROOT)),
                    () -> activity.count(outcome),
                    () -> activity.nanos(outcome));
        }
        target.gauge(
                name + ".active",
                "How many run now",
                own,
                () -> activity.running().count());
        target.seconds(
                "sluice.running.oldest",
                "For how long the oldest one has run that still does",
                Tags.of("scope", scope),
                () -> activity.running().oldestNanos(node.nanoTime().getAsLong()) / 1e9);
        for (ErrorCode code : ErrorCode.values()) {
            target.count(
                    "sluice.failures",
                    "How many have ended with this code",
                    Tags.of("scope", scope, "code", code.name()),
                    () -> activity.failures(code));
        }
    }

    private void bindQueues(Target target) {
        for (QueueSample queue : node.queues().get()) {
            Tags own = Tags.of("queue", queue.name(), "unit", queue.unit());
            target.gauge("sluice.queue.used", "How full it is", own, () -> queued(queue.name(), QueueSample::used));
            target.gauge(
                    "sluice.queue.limit",
                    "Never exceeded; 0 if its users are limited",
                    own,
                    () -> queued(queue.name(), QueueSample::limit));
        }
        for (WaitSample wait : node.waits().get()) {
            target.seconds(
                    "sluice.queue.wait.oldest",
                    "For how long the one has waited that came first",
                    Tags.of("queue", wait.name()),
                    () -> node.waits().get().stream()
                            .filter(now -> now.name().equals(wait.name()))
                            .mapToDouble(now -> now.oldestNanos() / 1e9)
                            .sum());
        }
    }

    private double queued(String name, ToDoubleFunction<QueueSample> value) {
        return node.queues().get().stream()
                .filter(queue -> queue.name().equals(name))
                .mapToDouble(value)
                .sum();
    }

    private void bindHealth(Target target) {
        target.gauge(
                "sluice.staging.suspect",
                "1 if nothing more is installed until the node starts again",
                Tags.empty(),
                () -> node.isSuspect().getAsBoolean() ? 1 : 0);
        if (node.certificateExpiry().get().isPresent()) {
            target.seconds(
                    "sluice.certificate.expires.in",
                    "Until a certificate of this node ends; negative after",
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

    /** Registers meters whose functions hold what they read. */
    private record Target(MeterRegistry registry, Tags tags) {
        void bytes(String name, String what, TableBytes.Count count) {
            FunctionCounter.builder(name, count, weaklyHeld -> count.sum())
                    .baseUnit("bytes")
                    .description(what)
                    .tags(tags.and("mode", count.mode(), "table", count.table()))
                    .register(registry);
        }

        void count(String name, String what, Tags own, DoubleSupplier value) {
            FunctionCounter.builder(name, value, weaklyHeld -> value.getAsDouble())
                    .description(what)
                    .tags(tags.and(own))
                    .register(registry);
        }

        void gauge(String name, String what, Tags own, DoubleSupplier value) {
            Gauge.builder(name, value, weaklyHeld -> value.getAsDouble())
                    .description(what)
                    .tags(tags.and(own))
                    .register(registry);
        }

        void seconds(String name, String what, Tags own, Supplier<Number> value) {
            TimeGauge.builder(
                            name,
                            value,
                            TimeUnit.SECONDS,
                            weaklyHeld -> value.get().doubleValue())
                    .description(what)
                    .tags(tags.and(own))
                    .register(registry);
        }

        void timer(String name, String what, Tags own, LongSupplier count, LongSupplier nanos) {
            FunctionTimer.builder(
                            name,
                            nanos,
                            weaklyHeld -> count.getAsLong(),
                            weaklyHeld -> nanos.getAsLong(),
                            TimeUnit.NANOSECONDS)
                    .description(what)
                    .tags(tags.and(own))
                    .register(registry);
        }
    }
}
