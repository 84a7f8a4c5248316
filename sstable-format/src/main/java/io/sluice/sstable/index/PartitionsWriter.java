package io.sluice.sstable.index;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes Partitions.db: of each key the prefix that distinguishes it from its neighbours. Uses the memory of a
 * {@link TrieWriter}. Not thread-safe: confined to its writer, which closes it; without {@link #finish()} the file is
 * incomplete.
 */
final class PartitionsWriter implements Closeable {
    private static final int HASH_BYTE = 7;
    /** Larger branches are packed, smallest last: in the order of their keys they would leave much of a page empty. */
    private static final int MOST_BYTES_AT_ONCE = TrieWriter.PAGE_BYTES / 16;

    private final ComponentOutput out;
    private final TrieWriter trie;
    private final ByteBuffer small = ByteBuffer.allocate(MOST_BYTES_AT_ONCE);
    private long count;
    private @Nullable PartitionKey first;
    private @Nullable PartitionKey last;
    private long lastNumber;
    /** Whether {@link #last} is not written yet, because its path depends on the next key. */
    private boolean isPending;
    /** The length of the path that distinguishes it from the keys before it. */
    private int leastLength;

    private PartitionsWriter(ComponentOutput out) {
        this.out = out;
        this.trie = new TrieWriter(out);
    }

    /** Writes {@code out}, an empty file, which is closed with the result. */
    static PartitionsWriter to(ComponentOutput out) {
        return new PartitionsWriter(out);
    }

    /**
     * Appends a partition.
     *
     * @param key greater than the previous one
     * @param number position of its entry in Rows.db, or the complement of its position in uncompressed Data.db
     */
    void add(PartitionKey key, long number) throws IOException {
        add(key, number, 1);
    }

    /**
     * Appends a copy of a partition of another file.
     *
     * @param length of its path there, which distinguishes it from its neighbours there
     */
    void add(PartitionKey key, long number, int length) throws IOException {
        int distinguishing = length;
        if (last == null) {
            first = key;
        } else {
            if (last.compareTo(key) >= 0) {
                throw new IllegalArgumentException("key " + key + " after " + last + " (expected: ascending)");
            }
            if (isPending) {
                int distinguished = ComparableKey.common(last, key) + 1;
                addLast(last, Math.max(leastLength, distinguished));
                distinguishing = Math.max(distinguishing, distinguished);
            }
        }
        last = key;
        lastNumber = number;
        isPending = true;
        leastLength = distinguishing;
        count++;
    }

    /**
     * Appends a copy of a branch of another file, between copies of its neighbours there.
     *
     * @param path of which the first {@code length} bytes lead to it, as there
     * @param base subtracted from the positions of its partitions
     * @param isApart whether it is on another page than its parent there, so that it may be here, too
     */
    void addBranch(byte[] path, int length, TrieBranch branch, long base, boolean isApart) throws IOException {
        if (isPending) {
            addLast(lastKey(), leastLength);
            isPending = false;
        }
        if (isApart && branch.lengthBytes() <= MOST_BYTES_AT_ONCE) {
            branch.copy(base, small.array());
            trie.writeBranch(path, length, small.clear().limit(branch.lengthBytes()), branch.rootOffset());
        } else {
            trie.addBranch(path, length, branch.copy(base), branch.rootOffset());
        }
        count += branch.count();
    }

    private void addLast(PartitionKey key, int length) throws IOException {
        int numberBytes = lengthOfSigned(lastNumber);
        var payload = new byte[1 + numberBytes];
        payload[0] = (byte) key.hash().h2();
        for (int i = 1; i <= numberBytes; i++) {
            payload[i] = (byte) (lastNumber >> (8 * (numberBytes - i)));
        }
        byte[] path = ComparableKey.prefix(key, length);
        trie.add(path, path.length, HASH_BYTE + numberBytes, Bytes.wrap(payload));
    }

    /** The number of bytes of the shortest signed big-endian form. */
    static int lengthOfSigned(long number) {
        return (Long.SIZE - Long.numberOfLeadingZeros(number < 0 ? ~number : number)) / 8 + 1;
    }

    /** The first key. */
    PartitionKey firstKey() {
        return required(first);
    }

    /** The last key so far. */
    PartitionKey lastKey() {
        return required(last);
    }

    private static PartitionKey required(@Nullable PartitionKey key) {
        if (key == null) {
            throw new IllegalStateException("no key (expected: at least one)");
        }
        return key;
    }

    /** Completes the file. Call once, last, after at least one key. */
    void finish() throws IOException {
        addLast(lastKey(), leastLength);
        long root = trie.finish();
        var footer = new GrowingBuffer();
        long keysPosition = out.position();
        footer.putShortBytes(firstKey().bytes()).putShortBytes(lastKey().bytes());
        footer.putLong(keysPosition).putLong(count).putLong(root);
        out.put(footer.written());
        out.finish();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
