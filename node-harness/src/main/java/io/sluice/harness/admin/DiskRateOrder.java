package io.sluice.harness.admin;

/** "Let the disk write no more of what is streamed in a second than this." 0 for no limit. Immutable. */
public record DiskRateOrder(long bytesPerSecond) {}
