package io.sluice.streaming.memory;

import java.util.UUID;

/** What one peer takes of {@link PeerShares}. It counts; who uses it allocates. Immutable; thread-safe. */
public final class PeerMemory {
    private final PeerShares shares;
    private final UUID peer;

    PeerMemory(PeerShares shares, UUID peer) {
        this.shares = shares;
        this.peer = peer;
    }

    /** Takes {@code bytes}, at least 0, if the peer may have as many; else nothing, and it is false. */
    public boolean tryTake(long bytes) {
        return shares.tryTake(peer, bytes);
    }

    /** Releases what was taken. */
    public void release(long bytes) {
        shares.release(peer, bytes);
    }

    /** Why {@code bytes} more were not to be had, human-readable. */
    public String shortage(long bytes) {
        return shares.shortage(peer, bytes);
    }
}
