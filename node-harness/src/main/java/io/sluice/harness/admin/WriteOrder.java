package io.sluice.harness.admin;

import java.util.UUID;

/**
 * "Keep these." Immutable.
 *
 * @param mutations in base64, one after another; see the codec of the store
 */
public record WriteOrder(UUID tableId, String mutations) {}
