package io.sluice.streaming.memory;

/**
 * The one number that bounds what streaming takes of a node's memory, and its parts. Immutable.
 *
 * <p>Half is for bytes that have landed and are not on the disk yet: they lie in the page cache, not in the process.
 * The other half is the process's own: a quarter for buffers of connections that receive (outside of the heap), an
 * eighth for connections that send (outside of the heap, much only if they encrypt), an eighth for lists of SSTables
 * that were offered and not installed yet (on the heap). What is asked for ahead takes no memory: it waits in the files
 * of its source.
 *
 * @param totalBytes at least {@link #LEAST_BYTES}
 */
public record MemoryBudget(long totalBytes) {
    /** With less, not even one encrypted connection could receive. */
    public static final long LEAST_BYTES = 16 << 20;

    /** As much as makes no transfer slower that was measured. */
    public static final MemoryBudget DEFAULTS = new MemoryBudget(512 << 20);

    /** Measured: half of it costs a fifth of the throughput, more of it gains nothing. */
    private static final int LONGEST_BUFFER_BYTES = 1 << 20;

    /** Room for a few dozen connections matters more than long buffers for two. */
    private static final int BUFFERS = 32;

    private static final int SHORTEST_BUFFER_BYTES = 64 << 10;

    public MemoryBudget {
        if (totalBytes < LEAST_BYTES) {
            throw new IllegalArgumentException(
                    "streaming_memory: " + totalBytes + " bytes (expected: at least " + LEAST_BYTES + ")");
        }
    }

    /** Landed and not yet synced, over all files; who receives more waits for the disk. */
    public long dirtyBytes() {
        return totalBytes / 2;
    }

    /** Buffers of connections that receive; sessions for which there is none wait. */
    public long receivingBytes() {
        return totalBytes / 4;
    }

    /** One such buffer. */
    public int receiveBufferBytes() {
        return (int) Math.max(SHORTEST_BUFFER_BYTES, Math.min(LONGEST_BUFFER_BYTES, receivingBytes() / BUFFERS));
    }

    /** Connections that send; further ones are refused, and come again. */
    public long sendingBytes() {
        return totalBytes / 8;
    }

    /** Lists of offered SSTables; sessions that go beyond are refused. */
    public long inventoryBytes() {
        return totalBytes / 8;
    }
}
