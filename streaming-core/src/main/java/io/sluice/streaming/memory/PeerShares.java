package io.sluice.streaming.memory;

import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * A part of the memory, divided among peers. A peer may use four times as much as is free: a single one up to four
 * fifths of it, and however many use their maximum, some is left for another. Thread-safe.
 */
public final class PeerShares {
    /** The maximum ratio of one peer's bytes to the free bytes. */
    private static final long MOST_OF_WHAT_IS_LEFT = 4;

    private final MemoryPool pool;
    /** The bytes of each peer that has any. Guarded by this. */
    private final Map<UUID, Share> shares = new HashMap<>();

    /** The bytes of one peer: each message changes them. Guarded by the owner. */
    private static final class Share {
        private long takenBytes;
    }

    public PeerShares(MemoryPool pool) {
        this.pool = pool;
    }

    /** The share of {@code peer}. */
    public PeerMemory of(UUID peer) {
        return new PeerMemory(this, peer);
    }

    synchronized boolean tryTake(UUID peer, long bytes) {
        long taken = takenBytes(peer) + bytes;
        if (taken > MOST_OF_WHAT_IS_LEFT * (pool.leftBytes() - bytes) || !pool.tryTake(bytes)) {
            return false;
        }
        if (taken > 0) {
            shares.computeIfAbsent(peer, first -> new Share()).takenBytes = taken;
        }
        return true;
    }

    synchronized void release(UUID peer, long bytes) {
        pool.release(bytes);
        Share share = shares.get(peer);
        if (share == null) {
            return;
        }
        share.takenBytes -= bytes;
        if (share.takenBytes <= 0) {
            shares.remove(peer);
        }
    }

    private long takenBytes(UUID peer) {
        Share share = shares.get(peer);
        return share == null ? 0 : share.takenBytes;
    }

    synchronized String shortage(UUID peer, long bytes) {
        long taken = takenBytes(peer);
        return pool.shortage(bytes, taken) + "; " + taken
                + " bytes are in use for this peer (expected: at most four times the free bytes)";
    }

    /** The current usage of all peers. */
    public QueueSample sample() {
        return pool.sample();
    }
}
