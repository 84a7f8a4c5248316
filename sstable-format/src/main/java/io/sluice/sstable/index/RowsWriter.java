package io.sluice.sstable.index;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.Closeable;
import java.io.IOException;

/**
 * Writes Rows.db: for each partition with several blocks a trie of their separators, then an entry that points to it.
 * Uses the memory of a {@link TrieWriter}. Not thread-safe: confined to its writer, which closes it; without
 * {@link #finish()} the file is incomplete.
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

    /** Writes {@code out}, an empty file, which is closed with the result. */
    static RowsWriter to(ComponentOutput out) {
        return new RowsWriter(out);
    }

    /**
     * Appends a block of the next partition, or the end of its last block.
     *
     * @param separator its first {@code separatorLength} bytes are used: after all previous items, not after the first
     *     in the block; none for the first block
     * @param offset of the block's first item, or of the byte that ends the partition, in the partition
     * @param openDeletion the encoded deletion of the range that is open there; may be empty
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
     * Ends a partition after all its blocks and the end were added.
     *
     * @param position of the partition in uncompressed Data.db
     * @param deletion of the partition, encoded
     * @return the position of its entry, for Partitions.db
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

    /** Completes the file. Must be the last call, made once. */
    void finish() throws IOException {
        out.finish();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
