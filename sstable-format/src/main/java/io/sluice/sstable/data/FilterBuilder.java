package io.sluice.sstable.data;

import io.sluice.sstable.token.Murmur3;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Builds Filter.db when the number of keys is known only at the end: keeps 16 bytes per key until then. Not
 * thread-safe: confined to its writer.
 *
 * <pre>
 * i32 number of hashes k, i32 number of 64-bit words, then the words as bytes: bit i is bit i % 8 of byte i / 8
 * bits of a key: abs((h2 + j * h1) % bits), j = 0 to k - 1
 * </pre>
 */
final class FilterBuilder {
    private static final int MAX_BITS_PER_KEY = 20;
    private static final int SPARE_BITS = 20;

    private final double chance;
    private long[] hashes = new long[1 << 10];
    private int used;

    FilterBuilder(double chance) {
        this.chance = chance;
    }

    void add(Murmur3 hash) {
        if (used == hashes.length) {
            hashes = Arrays.copyOf(hashes, Math.multiplyExact(used, 2));
        }
        hashes[used++] = hash.h1();
        hashes[used++] = hash.h2();
    }

    ByteBuffer build() {
        int bitsPerKey = 1;
        int hashCount = 1;
        while (bitsPerKey < MAX_BITS_PER_KEY && rate(bitsPerKey, hashCount) > chance) {
            bitsPerKey++;
            hashCount = Math.max(1, (int) Math.round(bitsPerKey * Math.log(2)));
        }
        long words = ((long) used / 2 * bitsPerKey + SPARE_BITS + 63) / 64;
        ByteBuffer filter = ByteBuffer.allocate(Math.toIntExact(8 + 8 * words));
        filter.putInt(hashCount).putInt((int) words);
        ByteBuffer bits = filter.slice();
        for (int i = 0; i < used; i += 2) {
            for (int j = 0; j < hashCount; j++) {
                long bit = Math.abs((hashes[i + 1] + j * hashes[i]) % (64 * words));
                int at = (int) (bit >>> 3);
                bits.put(at, (byte) (bits.get(at) | (1 << (bit & 7))));
            }
        }
        return filter.clear();
    }

    private static double rate(int bitsPerKey, int hashCount) {
        return Math.pow(1 - Math.exp(-(double) hashCount / bitsPerKey), hashCount);
    }
}
