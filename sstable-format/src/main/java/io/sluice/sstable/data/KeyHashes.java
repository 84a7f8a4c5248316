package io.sluice.sstable.data;

import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.metadata.BloomFilter;
import java.util.Arrays;

/**
 * Keeps the hashes of keys, 16 bytes each, until their number is known, and the size of the filter can be computed. Not
 * thread-safe.
 */
final class KeyHashes {
    private static final int FIRST_LENGTH = 1 << 10;

    private long[] words = new long[FIRST_LENGTH];
    private int used;

    void add(Murmur3 hash) {
        if (used == words.length) {
            words = Arrays.copyOf(words, Math.multiplyExact(used, 2));
        }
        words[used++] = hash.h1();
        words[used++] = hash.h2();
    }

    /** A filter of all keys with this false-positive chance. */
    BloomFilter toFilter(double chance) {
        BloomFilter filter = BloomFilter.sized(used / 2, chance);
        for (int i = 0; i < used; i += 2) {
            filter.add(new Murmur3(words[i], words[i + 1]));
        }
        return filter;
    }
}
