package io.sluice.harness.admin;

import java.util.UUID;

/** "End this plan." Immutable. */
public record CancelOrder(UUID planId) {}
