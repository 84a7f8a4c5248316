package io.sluice.streaming.memory;

/**
 * What sessions that send share of the memory. Thread-safe.
 *
 * @param connections for sessions, and what is on its way through connections
 * @param connectionBytes what one connection takes of it
 * @param inventory for lists of what is asked for and offered, and for messages on their way
 */
public record SendingMemory(PeerShares connections, long connectionBytes, PeerShares inventory) {
    /** A session, or a query, with its control connection. */
    public static final long SESSION_BYTES = 64 << 10;

    /** What is encrypted ahead of a socket, a piece of a file on its way to the cipher, and the cipher's records. */
    private static final long ENCRYPTED_BYTES = (1 << 20) + (256 << 10);

    /** Bytes of files never enter the process; messages do. */
    private static final long PLAIN_BYTES = 64 << 10;

    /**
     * The parts of {@code budget} that are for sending.
     *
     * @param isEncrypted whether connections are
     */
    public static SendingMemory of(MemoryBudget budget, boolean isEncrypted, PeerShares inventory) {
        return new SendingMemory(
                new PeerShares(new MemoryPool("sending", budget.sendingBytes())),
                isEncrypted ? ENCRYPTED_BYTES : PLAIN_BYTES,
                inventory);
    }
}
