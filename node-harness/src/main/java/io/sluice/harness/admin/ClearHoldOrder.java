package io.sluice.harness.admin;

/**
 * "Let this peer in again." Immutable.
 *
 * @param who as {@link HoldStatus} has it
 */
public record ClearHoldOrder(String who) {}
