package io.sluice.cassandra.load;

import java.util.Optional;

/**
 * Outcome of a delivery. Immutable.
 *
 * @param sentBytes file bytes sent
 * @param nanos duration in nanoseconds
 * @param failure why the node does not have the data, or did not confirm it, what is known of what is visible there,
 *     and what to do; empty if it confirmed that all of it is durable and live
 */
public record LoadResult(Delivery delivery, long sentBytes, long nanos, Optional<String> failure) {}
