package io.sluice.harness.admin;

import java.util.Optional;

/**
 * What a node streams, and what it limits itself to. Immutable.
 *
 * @param replacement what it fetches to become a replacement; empty if it never was told to
 * @param outboundBytesPerSecond most that it sends of whole SSTables; 0 for no limit
 */
public record NetStats(NodeStatus status, Optional<ReplaceState> replacement, long outboundBytesPerSecond) {}
