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
 * @param holds who is not let in for a while, having violated the protocol again and again
 */
public record NetStats(
        NodeInfo status,
        List<FetchState> fetches,
        List<SendingProgress> sendings,
        long obsoletePinnedBytes,
        long outboundBytesPerSecond,
        List<HoldStatus> holds) {
    public NetStats {
        fetches = List.copyOf(fetches);
        sendings = List.copyOf(sendings);
        holds = List.copyOf(holds);
    }
}
