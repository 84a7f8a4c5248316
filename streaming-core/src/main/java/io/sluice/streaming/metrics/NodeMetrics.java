package io.sluice.streaming.metrics;

import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * All that is measured of a node, for whoever shows it somewhere. Thread-safe.
 *
 * @param nanoTime the clock of the node
 * @param queues how full each is
 * @param waits how long somebody waits in each of those that have an order
 * @param certificateExpiry when a certificate of this node ends; empty in plain text
 * @param isSuspect whether nothing more is installed until the node starts again
 */
public record NodeMetrics(
        Traffic traffic,
        LongSupplier nanoTime,
        Supplier<List<QueueSample>> queues,
        Supplier<List<WaitSample>> waits,
        Supplier<Optional<Instant>> certificateExpiry,
        BooleanSupplier isSuspect) {}
