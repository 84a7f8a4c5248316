package io.sluice.streaming.metrics;

/**
 * The longest wait in one queue. Immutable.
 *
 * @param name of the queue, as in docs/operations.md
 * @param oldestNanos age of the oldest wait; 0 if there is none
 */
public record WaitSample(String name, long oldestNanos) {}
