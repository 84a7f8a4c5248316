package io.sluice.harness.admin;

import java.util.List;

/**
 * What a node streams, and what it limits itself to. Immutable.
 *
 * @param fetches what it fetches and fetched, the latest last
 * @param outboundBytesPerSecond most that it sends of whole SSTables; 0 for no limit
 */
public record NetStats(NodeStatus status, List<FetchState> fetches, long outboundBytesPerSecond) {
    public NetStats {
        fetches = List.copyOf(fetches);
    }
}
