package io.sluice.sstable.index;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.Closeable;
import java.io.IOException;

/**
 * Writes Rows.db: of each partition of several blocks a trie of what separates them, then an entry that points to it.
 * Memory is that of a {@link TrieWriter}. Not thread-safe: confined to its writer, who closes it; closed without
 * {@link #finish()} it leaves an incomplete file behind.
 */
public final class RowsWriter implements Closeable {
    static final int DELETION_FLAG = 8;

    private final ComponentOutput out;
    private final TrieWriter trie;
    private long payloads;

    private RowsWriter(ComponentOutput out) {
        this.out = out;
        this.trie = new TrieWriter(out);
    }

    /** Writes {@code out}, an empty file, which is closed with what is returned. */
    static RowsWriter to(ComponentOutput out) {
        return new RowsWriter(out);
    }

    /**
     * Appends a block of the partition that comes next, or the end of its last one.
     *
     * @param separator of which {@code separatorLength} bytes count: after all items before, not after the first in the
     *     block; none for the first block
     * @param offset of the block's first item, or of the byte that ends the partition, in the partition
     * @param openDeletion encoded, of the range that is open there; or no bytes
     */
    public void addBlock(byte[] separator, int separatorLength, long offset, Bytes openDeletion) throws IOException {
        int offsetBytes = PartitionsWriter.lengthOfSigned(offset);
        if (offset < 0 || offsetBytes >= DELETION_FLAG) {
            throw new IllegalArgumentException("offset of a block: " + offset + " (expected: 0 to 2^55 - 1)");
        }
        var payload = new byte[offsetBytes + openDeletion.length()];
        for (int i = 0; i < offsetBytes; i++) {
            payload[i] = (byte) (offset >> (8 * (offsetBytes - 1 - i)));
        }
        openDeletion.copyTo(payload, offsetBytes);
        int flags = offsetBytes | (openDeletion.isEmpty() ? 0 : DELETION_FLAG);
        trie.add(separator, separatorLength, flags, Bytes.wrap(payload));
        payloads++;
    }

    /**
     * Ends a partition, of which all blocks and the end were added.
     *
     * @param position of it in uncompressed Data.db
     * @param deletion of it, encoded
     * @return where its entry lies: what Partitions.db names
     */
    long endPartition(Bytes key, long position, Bytes deletion) throws IOException {
        long root = trie.finish();
        long entryPosition = out.position();
        var entry = new GrowingBuffer();
        entry.putShortBytes(key);
        long base = entryPosition + entry.length();
        entry.putUnsignedVInt(position)
                .putSignedVInt(root - base)
                .putUnsignedVInt(payloads - 1)
                .put(deletion);
        out.put(entry.written());
        payloads = 0;
        return entryPosition;
    }

    /** Completes the file. Call once, last. */
    void finish() throws IOException {
        out.finish();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
