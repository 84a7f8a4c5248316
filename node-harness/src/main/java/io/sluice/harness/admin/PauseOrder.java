package io.sluice.harness.admin;

import java.util.UUID;

/** "Ask for nothing more of this plan", or "go on with it". Immutable. */
public record PauseOrder(UUID planId, boolean isPaused) {}
