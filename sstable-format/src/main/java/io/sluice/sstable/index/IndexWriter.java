package io.sluice.sstable.index;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes Index.db entry by entry. Not thread-safe: confined to its writer, who closes it; closed without
 * {@link #finish()} it leaves an incomplete file behind.
 */
public final class IndexWriter implements Closeable {
    private static final int FLUSH_BYTES = 1 << 16;

    private final ComponentOutput out;
    private final GrowingBuffer entries = new GrowingBuffer();
    private @Nullable PartitionKey previous;

    private IndexWriter(ComponentOutput out) {
        this.out = out;
    }

    /** Writes {@code out}, an empty file, which is closed with what is returned. */
    public static IndexWriter to(ComponentOutput out) {
        return new IndexWriter(out);
    }

    /** Where the next entry begins: what a summary keeps. */
    public long position() {
        return out.position() + entries.length();
    }

    /**
     * Appends an entry.
     *
     * @param key greater than the one before
     * @param position of the partition in uncompressed Data.db
     * @param blocks the partition's block index, or no bytes
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

    /**
     * Appends a copy of the entry that {@code source} stands at, which is greater than those before, with another
     * position.
     */
    public void add(EntryCursor source, long position) throws IOException {
        source.copyTo(entries, position);
        flushIfFull();
    }

    private void flushIfFull() throws IOException {
        if (entries.length() >= FLUSH_BYTES) {
            flush();
        }
    }

    private void flush() throws IOException {
        out.put(entries.written());
        entries.clear();
    }

    /** Completes the file. Call once, last. */
    public void finish() throws IOException {
        flush();
        out.finish();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
