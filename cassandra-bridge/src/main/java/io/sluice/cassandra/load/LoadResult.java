package io.sluice.cassandra.load;

import java.util.Optional;

/**
 * How a delivery ended. Immutable.
 *
 * @param sentBytes of files that left
 * @param nanos that it took
 * @param failure why the node does not have it; empty if it said that all is durable and live
 */
public record LoadResult(Delivery delivery, long sentBytes, long nanos, Optional<String> failure) {}
