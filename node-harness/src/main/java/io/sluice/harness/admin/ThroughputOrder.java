package io.sluice.harness.admin;

import io.sluice.streaming.throttle.Limit;

/** Sets one limit of a node, in bytes per second; 0 for none. */
public record ThroughputOrder(Limit limit, long bytesPerSecond) {}
