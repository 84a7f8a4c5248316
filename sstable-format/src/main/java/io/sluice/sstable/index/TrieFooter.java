package io.sluice.sstable.index;

import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.key.PartitionKey;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The footer of Partitions.db. Immutable.
 *
 * @param firstKey of the SSTable
 * @param lastKey of the SSTable
 * @param keyCount number of partitions
 * @param rootPosition of the trie
 */
public record TrieFooter(PartitionKey firstKey, PartitionKey lastKey, long keyCount, long rootPosition) {
    private static final int LENGTH_BYTES = 3 * Long.BYTES;

    /** Reads the footer of {@code file}. */
    public static TrieFooter read(Path file) throws IOException {
        try (ComponentInput in = ComponentInput.open(file, 1 << 12)) {
            return read(in);
        }
    }

    static TrieFooter read(ComponentInput in) throws IOException {
        long start = in.length() - LENGTH_BYTES;
        in.seek(start);
        long keysPosition = in.require("position of the first key", in.readLong(), 1, start);
        long count = in.require("number of keys", in.readLong(), 1, Long.MAX_VALUE);
        long root = in.require("position of the root", in.readLong(), 0, keysPosition - 1);
        in.seek(keysPosition);
        PartitionKey first = PartitionKey.of(in.readShortBytes());
        PartitionKey last = PartitionKey.of(in.readShortBytes());
        if (in.position() != start || first.compareTo(last) > 0) {
            throw in.malformed("first key " + first + ", last key " + last
                    + " (expected: ascending, and directly before the footer)");
        }
        return new TrieFooter(first, last, count, root);
    }
}
