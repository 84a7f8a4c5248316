package io.sluice.streaming.memory;

/**
 * The limit of a node's memory for streaming, and its parts. Immutable.
 *
 * <p>Half is for received bytes that are not synced yet: they are in the page cache, not in the process. The other half
 * is memory of the process: a quarter for buffers of receiving connections (off-heap), an eighth for sending
 * connections (off-heap, much of it only with encryption), an eighth for lists of SSTables that are offered and not
 * installed yet (on the heap). Extents requested in advance need no memory: they wait in the source's files.
 *
 * @param totalBytes at least {@link #LEAST_BYTES}
 */
public record MemoryBudget(long totalBytes) {
    /** The minimum: with less, not even one encrypted connection could receive. */
    public static final long LEAST_BYTES = 16 << 20;

    /** The default: no measured transfer is faster with more. */
    public static final MemoryBudget DEFAULTS = new MemoryBudget(512 << 20);

    /** Measured: half of it costs a fifth of the throughput, more gains nothing. */
    private static final int LONGEST_BUFFER_BYTES = 1 << 20;

    /** Several dozen connections are more important than long buffers for two. */
    private static final int BUFFERS = 32;

    private static final int SHORTEST_BUFFER_BYTES = 64 << 10;

    public MemoryBudget {
        if (totalBytes < LEAST_BYTES) {
            throw new IllegalArgumentException(
                    "streaming_memory: " + totalBytes + " bytes (expected: at least " + LEAST_BYTES + ")");
        }
    }

    /** Limit of received and not yet synced bytes over all files; beyond it receiving connections wait for the disk. */
    public long dirtyBytes() {
        return totalBytes / 2;
    }

    /** Buffers of receiving connections; sessions without a buffer wait. */
    public long receivingBytes() {
        return totalBytes / 4;
    }

    /** The length of one such buffer. */
    public int receiveBufferBytes() {
        return (int) Math.max(SHORTEST_BUFFER_BYTES, Math.min(LONGEST_BUFFER_BYTES, receivingBytes() / BUFFERS));
    }

    /** Sending connections; further ones are refused, and the receivers retry. */
    long sendingBytes() {
        return totalBytes / 8;
    }

    /** Lists of offered SSTables; sessions that exceed it are refused. */
    public long inventoryBytes() {
        return totalBytes / 8;
    }
}
