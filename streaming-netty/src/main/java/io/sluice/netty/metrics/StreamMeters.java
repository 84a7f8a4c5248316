package io.sluice.netty.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.progress.StreamActivity.StreamCounters;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Shows a node's counters and queues to Micrometer, as {@code sluice.bytes.sent} and so on. Micrometer is an optional
 * dependency: only who uses this class needs it. Thread-safe.
 */
@SuppressWarnings("exports") // who uses it requires Micrometer, nobody else
public final class StreamMeters implements MeterBinder {
    private final Supplier<StreamCounters> counters;
    private final Supplier<List<QueueSample>> queues;
    private final Supplier<Optional<Instant>> certificateExpiry;
    private final Tags tags;

    /**
     * Not bound yet.
     *
     * @param counters of the node: {@code node::counters}
     * @param queues of the node: {@code node::queues}
     * @param certificateExpiry of the node: {@code node::certificateExpiry}
     * @param tags for all meters, as the node's name
     */
    public StreamMeters(
            Supplier<StreamCounters> counters,
            Supplier<List<QueueSample>> queues,
            Supplier<Optional<Instant>> certificateExpiry,
            Tags tags) {
        this.certificateExpiry = certificateExpiry;
        this.counters = counters;
        this.queues = queues;
        this.tags = tags;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        count(registry, "sluice.bytes.sent", "bytes", "File bytes that sockets have taken", StreamCounters::bytesSent);
        count(registry, "sluice.bytes.received", "bytes", "File bytes that have landed", StreamCounters::bytesReceived);
        count(registry, "sluice.regions.sent", "regions", "Pieces of files sent", StreamCounters::regionsSent);
        count(registry, "sluice.socket.reads", "calls", "Reads of data connections", StreamCounters::socketReads);
        count(registry, "sluice.file.writes", "calls", "Writes of staged files", StreamCounters::fileWrites);
        count(registry, "sluice.syncs", "calls", "Syncs of files and directories", StreamCounters::syncs);
        count(registry, "sluice.sstables.staged", "sstables", "Received and durable", StreamCounters::sstablesStaged);
        count(registry, "sluice.installs", "installs", "Sets that went live", StreamCounters::installs);
        count(registry, "sluice.sessions.failed", "sessions", "Attempts that failed", StreamCounters::sessionsFailed);
        count(
                registry,
                "sluice.connections.refused",
                "connections",
                "Before or by their handshake",
                StreamCounters::connectionsRefused);
        if (certificateExpiry.get().isPresent()) {
            Gauge.builder("sluice.certificate.expires.in", certificateExpiry, weaklyHeld -> secondsLeft())
                    .baseUnit("seconds")
                    .description("Until this node's certificate, or one that vouches for it, ends; negative after")
                    .tags(tags)
                    .register(registry);
        }
        for (QueueSample queue : queues.get()) {
            gauge(registry, "sluice.queue.used", "How full it is now", queue, QueueSample::used);
            gauge(
                    registry,
                    "sluice.queue.limit",
                    "Never exceeded; 0 if its users are limited",
                    queue,
                    QueueSample::limit);
        }
    }

    private double secondsLeft() {
        return certificateExpiry
                .get()
                .map(end -> (double) Duration.between(Instant.now(), end).toSeconds())
                .orElse(Double.NaN);
    }

    private void gauge(
            MeterRegistry registry, String name, String what, QueueSample which, ToDoubleFunction<QueueSample> value) {
        // Held strongly by the function, as below.
        Gauge.builder(
                        name,
                        queues,
                        weaklyHeld -> queues.get().stream()
                                .filter(queue -> queue.name().equals(which.name()))
                                .mapToDouble(value)
                                .sum())
                .tags(tags.and("queue", which.name(), "unit", which.unit()))
                .description(what)
                .register(registry);
    }

    private void count(
            MeterRegistry registry, String name, String unit, String what, ToDoubleFunction<StreamCounters> value) {
        // Micrometer holds the object weakly and the function strongly: the function keeps the object alive. Without
        // that, a meter of a node that nobody else asks falls to what it last said at the next collection.
        FunctionCounter.builder(name, counters, weaklyHeld -> value.applyAsDouble(counters.get()))
                .baseUnit(unit)
                .description(what)
                .tags(tags)
                .register(registry);
    }
}
