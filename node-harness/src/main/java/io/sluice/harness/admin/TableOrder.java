package io.sluice.harness.admin;

import java.util.UUID;

/** "Do it to this table": truncate, drop or compact. Immutable. */
public record TableOrder(UUID tableId) {}
