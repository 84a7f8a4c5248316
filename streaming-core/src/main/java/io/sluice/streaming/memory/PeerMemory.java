package io.sluice.streaming.memory;

import java.util.UUID;

/**
 * Counts the bytes that one peer uses of {@link PeerShares}. It does not allocate: its users do. Immutable;
 * thread-safe.
 */
public final class PeerMemory {
    private final PeerShares shares;
    private final UUID peer;

    PeerMemory(PeerShares shares, UUID peer) {
        this.shares = shares;
        this.peer = peer;
    }

    /** Takes {@code bytes}, at least 0, if the peer's limit permits it; otherwise takes nothing and returns false. */
    public boolean tryTake(long bytes) {
        return shares.tryTake(peer, bytes);
    }

    /** Releases taken bytes. */
    public void release(long bytes) {
        shares.release(peer, bytes);
    }

    /** Why {@code bytes} more cannot be taken, human-readable. */
    public String shortage(long bytes) {
        return shares.shortage(peer, bytes);
    }
}
