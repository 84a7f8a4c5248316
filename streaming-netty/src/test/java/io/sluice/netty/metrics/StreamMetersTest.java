package io.sluice.netty.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.streaming.metrics.NodeMetrics;
import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a scrape costs the node, and the database that its pins ask. */
class StreamMetersTest {
    private final AtomicInteger samples = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private List<QueueSample> queues() {
        int number = samples.incrementAndGet();
        return List.of(
                new QueueSample("obsolete", "bytes", number, 0),
                new QueueSample("inventory", "bytes", number, 100),
                new QueueSample("landing", "files", number, 100));
    }

    private void bind() {
        NodeMetrics node = new NodeMetrics(
                new Traffic(), nanos::get, this::queues, List::of, List::of, Optional::empty, () -> false);
        new StreamMeters(node, Tags.empty()).bindTo(registry);
    }

    private double used(String queue) {
        return registry.get("sluice.queue.used").tag("queue", queue).gauge().value();
    }

    @Test
    void the_gauges_of_all_queues_share_a_sample() {
        bind();
        samples.set(0);

        registry.scrape();

        assertThat(samples).hasValueLessThanOrEqualTo(1);
    }

    @Test
    void a_sample_is_no_older_than_a_second() {
        bind();
        double before = used("obsolete");
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());

        assertThat(used("obsolete")).isEqualTo(before + 1);
        assertThat(used("landing")).isEqualTo(before + 1);
    }
}
