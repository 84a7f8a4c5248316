package io.sluice.cassandra.load;

/**
 * Progress of a load. Immutable.
 *
 * @param sentBytes file bytes sent so far
 * @param totalBytes file bytes to send, at least {@code sentBytes}; estimated until all slices are cut
 * @param slicesCut how many of {@code slices} are cut; a session starts to send when its own slices are cut
 * @param slices number of slices to cut
 */
public record LoadProgress(long sentBytes, long totalBytes, long slicesCut, long slices) {}
