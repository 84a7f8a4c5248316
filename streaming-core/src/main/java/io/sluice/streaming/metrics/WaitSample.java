package io.sluice.streaming.metrics;

/**
 * Those who wait for one thing. Immutable.
 *
 * @param name of the queue, as in docs/operations.md
 * @param oldestNanos for how long the one has waited that began first; 0 if none waits
 */
public record WaitSample(String name, long oldestNanos) {}
