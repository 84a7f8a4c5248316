package io.sluice.streaming.metrics;

import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * All metrics of a node, for modules that publish them. Thread-safe.
 *
 * @param nanoTime the clock of the node
 * @param queues fill levels
 * @param waits the longest wait in each ordered queue
 * @param volumes each data volume
 * @param certificateExpiry when a certificate of this node expires; empty without TLS
 * @param isSuspect whether nothing is installed until the node restarts
 */
public record NodeMetrics(
        Traffic traffic,
        LongSupplier nanoTime,
        Supplier<List<QueueSample>> queues,
        Supplier<List<WaitSample>> waits,
        Supplier<List<VolumeSample>> volumes,
        Supplier<Optional<Instant>> certificateExpiry,
        BooleanSupplier isSuspect) {}
