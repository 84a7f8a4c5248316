package io.sluice.harness.audit;

/**
 * Where a partition key lies on the ring: MurmurHash3 (x64, 128 bits, seed 0) of its bytes, of which the last up to 15
 * keep their sign, the first half of it; the lowest number is replaced by the highest. Written from that description
 * alone, and slow. Stateless.
 */
final class KeyToken {
    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;

    private KeyToken() {}

    /** The token of a key; the empty one has the lowest. */
    static long of(byte[] key) {
        if (key.length == 0) {
            return Long.MIN_VALUE;
        }
        long h1 = 0;
        long h2 = 0;
        int whole = key.length / 16 * 16;
        for (int at = 0; at < whole; at += 16) {
            h1 ^= scrambled(word(key, at), C1, 31, C2);
            h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
            h2 ^= scrambled(word(key, at + 8), C2, 33, C1);
            h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
        }
        long low = 0;
        long high = 0;
        for (int at = key.length - 1; at >= whole; at--) {
            int place = at - whole;
            if (place < 8) {
                low ^= (long) key[at] << (8 * place);
            } else {
                high ^= (long) key[at] << (8 * (place - 8));
            }
        }
        h1 ^= scrambled(low, C1, 31, C2) ^ key.length;
        h2 ^= scrambled(high, C2, 33, C1) ^ key.length;
        h1 += h2;
        h2 += h1;
        h1 = mixed(h1) + mixed(h2);
        return h1 == Long.MIN_VALUE ? Long.MAX_VALUE : h1;
    }

    private static long word(byte[] key, int at) {
        long word = 0;
        for (int i = 7; i >= 0; i--) {
            word = (word << 8) | (key[at + i] & 0xff);
        }
        return word;
    }

    private static long scrambled(long word, long first, int turn, long second) {
        return Long.rotateLeft(word * first, turn) * second;
    }

    private static long mixed(long hash) {
        long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }
}
