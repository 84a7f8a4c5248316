package io.sluice.sstable.data;

import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.metadata.BloomFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps the hashes of keys, 16 bytes each, until their number is known, and the size of the filter can be computed. Not
 * thread-safe.
 */
final class KeyHashes {
    private static final int FIRST_LENGTH = 1 << 10;
    /** Longer ones are not copied to grow: that would take three times the memory for a moment. */
    private static final int PIECE_LENGTH = 1 << 17;

    private final List<long[]> full = new ArrayList<>();
    private long[] words = new long[FIRST_LENGTH];
    private int used;

    void add(Murmur3 hash) {
        if (used == words.length) {
            grow();
        }
        words[used++] = hash.h1();
        words[used++] = hash.h2();
    }

    private void grow() {
        if (used < PIECE_LENGTH) {
            words = Arrays.copyOf(words, 2 * used);
        } else {
            full.add(words);
            words = new long[PIECE_LENGTH];
            used = 0;
        }
    }

    /** A filter of all keys with this false-positive chance. */
    BloomFilter toFilter(double chance) {
        BloomFilter filter = BloomFilter.sized(((long) full.size() * PIECE_LENGTH + used) / 2, chance);
        full.forEach(piece -> addTo(filter, piece, PIECE_LENGTH));
        addTo(filter, words, used);
        return filter;
    }

    private static void addTo(BloomFilter filter, long[] words, int used) {
        for (int i = 0; i < used; i += 2) {
            filter.add(new Murmur3(words[i], words[i + 1]));
        }
    }
}
