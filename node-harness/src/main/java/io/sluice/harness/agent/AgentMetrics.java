package io.sluice.harness.agent;

import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.netty.StreamingNode;
import io.sluice.netty.metrics.StreamMeters;

/**
 * The meters of an agent's streaming, as docs/operations.md lists them, in the text form of Prometheus. Thread-safe.
 */
final class AgentMetrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    /** @param node how the ring calls the Cassandra node: the label {@code node} */
    AgentMetrics(StreamingNode engine, String node) {
        new StreamMeters(engine, Tags.of("node", node)).bindTo(registry);
    }

    /** All samples, as of now. */
    String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        registry.close();
    }
}
