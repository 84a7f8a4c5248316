package io.sluice.streaming.memory;

/**
 * The memory that sending sessions share. Thread-safe.
 *
 * @param connections for sessions, and bytes in flight on connections
 * @param connectionBytes the part of one connection
 * @param inventory for lists of requests and offers, and for messages in flight
 */
public record SendingMemory(PeerShares connections, long connectionBytes, PeerShares inventory) {
    /** Memory of a session or query with its control connection. */
    public static final long SESSION_BYTES = 64 << 10;

    /**
     * Memory of an encrypted connection: seven buffers of 152 KiB for bytes that are encrypted ahead of the socket, and
     * one of 132 KiB for what the cipher reads.
     */
    private static final long ENCRYPTED_BYTES = (1 << 20) + (256 << 10);

    /** Memory of a plain connection: file bytes never enter the process, messages do. */
    private static final long PLAIN_BYTES = 64 << 10;

    /**
     * The parts of {@code budget} that are for sending.
     *
     * @param isEncrypted whether connections use TLS
     */
    public static SendingMemory of(MemoryBudget budget, boolean isEncrypted, PeerShares inventory) {
        return new SendingMemory(
                new PeerShares(new MemoryPool("sending", budget.sendingBytes())),
                isEncrypted ? ENCRYPTED_BYTES : PLAIN_BYTES,
                inventory);
    }
}
