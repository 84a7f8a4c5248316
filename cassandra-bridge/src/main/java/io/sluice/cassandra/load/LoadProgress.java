package io.sluice.cassandra.load;

/**
 * How far a load is. Immutable.
 *
 * @param sentBytes file bytes that have left
 * @param totalBytes file bytes that are to leave, at least {@code sentBytes}; about, until all slices are cut
 * @param slicesCut of {@code slices}; a session begins to send when its own are cut
 * @param slices SSTables that are cut out of others
 */
public record LoadProgress(long sentBytes, long totalBytes, long slicesCut, long slices) {}
