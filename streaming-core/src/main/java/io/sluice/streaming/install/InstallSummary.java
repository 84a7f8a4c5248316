package io.sluice.streaming.install;

/**
 * The installed SSTables of a table.
 *
 * @param lengthBytes of all their files
 */
public record InstallSummary(int sstables, long lengthBytes) {}
