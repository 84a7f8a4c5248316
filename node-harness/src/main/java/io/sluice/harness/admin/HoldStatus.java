package io.sluice.harness.admin;

/**
 * A peer that is not let in for a while. Immutable.
 *
 * @param who {@code address 10.0.0.7} or {@code certificate 3fa9...}
 * @param times how often in a row
 * @param secondsLeft until it may come again
 * @param reason its latest violation
 */
public record HoldStatus(String who, int times, long secondsLeft, String reason) {}
