package io.sluice.harness.admin;

/** "Send no more than this." 0 for no limit. Immutable. */
public record ThroughputOrder(long bytesPerSecond) {}
