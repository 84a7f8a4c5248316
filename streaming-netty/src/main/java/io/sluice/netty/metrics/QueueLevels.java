package io.sluice.netty.metrics;

import io.sluice.streaming.metrics.NodeMetrics;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.time.Duration;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The fill levels of all queues of a node, up to a second old: a scrape reads two gauges of each queue, and each sample
 * of the queues asks the database about each of its pins. Thread-safe; threads at the same time may each take one.
 */
final class QueueLevels {
    private static final long SHARED_NANOS = Duration.ofSeconds(1).toNanos();

    private final NodeMetrics node;
    private volatile Sample last;

    private record Sample(long nanos, List<QueueSample> queues) {}

    QueueLevels(NodeMetrics node) {
        this.node = node;
        this.last = sample();
    }

    /** All queues of the node: they are always the same. */
    List<QueueSample> queues() {
        return last.queues();
    }

    /** A value of the queue of this name; 0 if there is none. */
    double of(String name, ToDoubleFunction<QueueSample> value) {
        Sample sample = last;
        if (node.nanoTime().getAsLong() - sample.nanos() >= SHARED_NANOS) {
            sample = sample();
            last = sample;
        }
        return sample.queues().stream()
                .filter(queue -> queue.name().equals(name))
                .mapToDouble(value)
                .sum();
    }

    private Sample sample() {
        return new Sample(node.nanoTime().getAsLong(), node.queues().get());
    }
}
