package io.sluice.sstable.data;

import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.metadata.BloomFilter;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the hashes of keys, 16 bytes each, until their number is known, and the size of the filter can be computed. In
 * pieces, because a growing array would be copied again and again. Not thread-safe.
 */
final class KeyHashes {
    private static final int PIECE_LENGTH = 1 << 15;

    private final List<long[]> full = new ArrayList<>();
    private long[] words = new long[1 << 8];
    private int used;

    void add(long h1, long h2) {
        if (used == words.length) {
            full.add(words);
            words = new long[PIECE_LENGTH];
            used = 0;
        }
        words[used] = h1;
        words[used + 1] = h2;
        used += 2;
    }

    /** A filter of all keys with this false-positive chance. */
    BloomFilter toFilter(double chance) {
        long keys = (full.stream().mapToLong(piece -> piece.length).sum() + used) / 2;
        BloomFilter filter = BloomFilter.sized(keys, chance);
        for (long[] piece : full) {
            addAll(piece, piece.length, filter);
        }
        addAll(words, used, filter);
        return filter;
    }

    private static void addAll(long[] piece, int length, BloomFilter filter) {
        for (int i = 0; i < length; i += 2) {
            filter.add(new Murmur3(piece[i], piece[i + 1]));
        }
    }
}
