package io.sluice.streaming.memory;

import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * A part of the memory that peers make this node hold. A peer may take four times as much as is left for all others:
 * one alone nearly all of it, and however many take as much as they can, there is room for one more. Thread-safe.
 */
public final class PeerShares {
    /** What one peer has against what is left. */
    private static final long MOST_OF_WHAT_IS_LEFT = 4;

    private final MemoryPool pool;
    /** What each peer has; none without anything. Guarded by this. */
    private final Map<UUID, Long> takenBytes = new HashMap<>();

    public PeerShares(MemoryPool pool) {
        this.pool = pool;
    }

    /** What {@code peer} may take. */
    public PeerMemory of(UUID peer) {
        return new PeerMemory(this, peer);
    }

    synchronized boolean tryTake(UUID peer, long bytes) {
        long taken = takenBytes.getOrDefault(peer, 0L) + bytes;
        if (taken > MOST_OF_WHAT_IS_LEFT * (pool.leftBytes() - bytes) || !pool.tryTake(bytes)) {
            return false;
        }
        if (taken > 0) {
            takenBytes.put(peer, taken);
        }
        return true;
    }

    synchronized void release(UUID peer, long bytes) {
        pool.release(bytes);
        takenBytes.computeIfPresent(peer, (known, taken) -> taken <= bytes ? null : taken - bytes);
    }

    synchronized String shortage(UUID peer, long bytes) {
        return pool.shortage(bytes) + "; " + takenBytes.getOrDefault(peer, 0L)
                + " bytes are in use for this peer, which may have four times as much as is left";
    }

    /** What is in use now, of all peers. */
    public QueueSample sample() {
        return pool.sample();
    }
}
