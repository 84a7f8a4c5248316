package io.sluice.streaming.install;

/**
 * What became live of a table.
 *
 * @param lengthBytes of all their files
 */
public record InstallSummary(int sstables, long lengthBytes) {}
