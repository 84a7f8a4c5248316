package io.sluice.sstable.index;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes Index.db entry by entry. Not thread-safe: confined to its writer, which closes it; without {@link #finish()}
 * the file is incomplete.
 */
final class IndexWriter implements Closeable {
    private static final int FLUSH_BYTES = 1 << 16;

    private final ComponentOutput out;
    private final GrowingBuffer entries = new GrowingBuffer();
    private @Nullable PartitionKey previous;

    private IndexWriter(ComponentOutput out) {
        this.out = out;
    }

    /** Writes {@code out}, an empty file, which is closed with the result. */
    public static IndexWriter to(ComponentOutput out) {
        return new IndexWriter(out);
    }

    /** The position of the next entry, for the summary. */
    public long position() {
        return out.position() + entries.length();
    }

    /**
     * Appends an entry.
     *
     * @param key greater than the previous one
     * @param position of the partition in uncompressed Data.db
     * @param blocks the partition's block index, may be empty
     */
    public void add(PartitionKey key, long position, Bytes blocks) throws IOException {
        if (previous != null && previous.compareTo(key) >= 0) {
            throw new IllegalArgumentException("key " + key + " after " + previous + " (expected: ascending)");
        }
        previous = key;
        entries.putShortBytes(key.bytes())
                .putUnsignedVInt(position)
                .putUnsignedVInt(blocks.length())
                .put(blocks);
        flushIfFull();
    }

    /** Entries that are not written yet; copies are appended to them, and {@link #flushIfFull} is called. */
    GrowingBuffer entries() {
        return entries;
    }

    void flushIfFull() throws IOException {
        if (entries.length() >= FLUSH_BYTES) {
            flush();
        }
    }

    private void flush() throws IOException {
        out.put(entries.written());
        entries.clear();
    }

    /** Completes the file. Must be the last call, made once. */
    public void finish() throws IOException {
        flush();
        out.finish();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
