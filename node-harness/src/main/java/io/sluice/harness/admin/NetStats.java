package io.sluice.harness.admin;

import io.sluice.streaming.progress.SendingProgress;
import java.util.List;

/**
 * What a node streams, and what it limits itself to. Immutable.
 *
 * @param fetches what it fetches and fetched, the latest last
 * @param sendings sessions in which it sends, not ended
 * @param obsoletePinnedBytes of files that its database has replaced, kept only because they are being sent
 * @param outboundBytesPerSecond most that it sends of whole SSTables; 0 for no limit
 */
public record NetStats(
        NodeStatus status,
        List<FetchState> fetches,
        List<SendingProgress> sendings,
        long obsoletePinnedBytes,
        long outboundBytesPerSecond) {
    public NetStats {
        fetches = List.copyOf(fetches);
        sendings = List.copyOf(sendings);
    }
}
