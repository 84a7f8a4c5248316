package io.sluice.sstable.key;

import io.sluice.sstable.token.Token;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * MurmurHash3 x64 128-bit with seed 0 as the Murmur3 partitioner computes it: tail bytes are widened <em>with their
 * sign</em>, unlike the published algorithm. Stateless.
 *
 * @param h1 first word: the token of a partition key (see {@link #token()})
 * @param h2 second word: with h1 the bits of the Bloom filter
 */
public record Murmur3(long h1, long h2) {
    private static final VarHandle LITTLE_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long SIGNS = 0x8080808080808080L;
    static final long C1 = 0x87c37b91114253d5L;
    static final long C2 = 0x4cf5ad432745937fL;
    static final long ADD1 = 0x52dce729;
    static final long ADD2 = 0x38495ab5;
    static final long MIX1 = 0xff51afd7ed558ccdL;
    static final long MIX2 = 0xc4ceb9fe1a85ec53L;

    /** The two words of {@code bytes[offset, offset + length)}. */
    public static Murmur3 of(byte[] bytes, int offset, int length) {
        long h1 = 0;
        long h2 = 0;
        int tail = offset + (length & ~15);
        for (int i = offset; i < tail; i += 16) {
            h1 = step1(h1, h2, bytes, i);
            h2 = step2(h1, h2, bytes, i);
        }
        return finish(h1, h2, bytes, tail, length);
    }

    private static Murmur3 finish(long state1, long state2, byte[] bytes, int tail, int length) {
        long h1 = state1 ^ tailMix1(bytes, tail, length) ^ length;
        long h2 = state2 ^ tailMix2(bytes, tail, length) ^ length;
        return end(h1, h2);
    }

    /**
     * The contribution to h1 of the first eight of the last 0 to 15 of {@code length} bytes, which begin at
     * {@code tail}.
     */
    private static long tailMix1(byte[] bytes, int tail, int length) {
        return mixK1(tailWord(bytes, tail, Math.min(length & 15, 8)));
    }

    /** The contribution of the other tail bytes to h2. */
    private static long tailMix2(byte[] bytes, int tail, int length) {
        return mixK2(tailWord(bytes, tail + 8, (length & 15) - 8));
    }

    private static Murmur3 end(long state1, long state2) {
        long h1 = state1 + state2;
        long h2 = state2 + h1;
        h1 = finalMix(h1);
        h2 = finalMix(h2);
        h1 += h2;
        h2 += h1;
        return new Murmur3(h1, h2);
    }

    /**
     * Keys that differ only in the first eight bytes of their last whole block. The contribution of the other bytes is
     * computed once. Immutable.
     */
    static final class Family {
        private final long h1;
        private final long h2;
        private final long secondWord;
        private final long tail1;
        private final long tail2;

        /**
         * The keys that equal {@code key} except for the eight bytes at {@code block}, the start of its last whole
         * block.
         */
        Family(byte[] key, int block) {
            long a = 0;
            long b = 0;
            for (int i = 0; i < block; i += 16) {
                a = step1(a, b, key, i);
                b = step2(a, b, key, i);
            }
            this.h1 = a;
            this.h2 = b;
            this.secondWord = Long.rotateLeft(b ^ mixK2((long) LITTLE_ENDIAN_LONG.get(key, block + 8)), 31);
            this.tail1 = tailMix1(key, block + 16, key.length) ^ key.length;
            this.tail2 = tailMix2(key, block + 16, key.length) ^ key.length;
        }

        /** The token of the key with these eight bytes, little-endian. */
        long tokenOf(long word) {
            long a = (Long.rotateLeft(h1 ^ mixK1(word), 27) + h2) * 5 + ADD1;
            long b = (secondWord + a) * 5 + ADD2;
            return end(a ^ tail1, b ^ tail2).token().value();
        }
    }

    private static long step1(long h1, long h2, byte[] bytes, int at) {
        long mixed = h1 ^ mixK1((long) LITTLE_ENDIAN_LONG.get(bytes, at));
        return (Long.rotateLeft(mixed, 27) + h2) * 5 + ADD1;
    }

    private static long step2(long h1, long h2, byte[] bytes, int at) {
        long mixed = h2 ^ mixK2((long) LITTLE_ENDIAN_LONG.get(bytes, at + 8));
        return (Long.rotateLeft(mixed, 31) + h1) * 5 + ADD2;
    }

    /** The two words of a whole key. */
    public static Murmur3 of(byte[] key) {
        return of(key, 0, key.length);
    }

    /** The token of a partition key; the empty key alone has {@link Token#MINIMUM}. */
    public static Token tokenOf(byte[] key) {
        return key.length == 0 ? Token.MINIMUM : of(key).token();
    }

    /** The token of a non-empty key with this hash: h1, except that the lowest number is replaced by the highest. */
    public Token token() {
        return new Token(h1 == Long.MIN_VALUE ? Long.MAX_VALUE : h1);
    }

    private static long tailWord(byte[] bytes, int at, int count) {
        if (count <= 0) {
            return 0;
        }
        if (at + Long.BYTES <= bytes.length) {
            long wanted = -1L >>> (Long.SIZE - Byte.SIZE * count);
            long plain = (long) LITTLE_ENDIAN_LONG.get(bytes, at) & wanted;
            if ((plain & SIGNS) == 0) {
                return plain;
            }
        }
        long word = 0;
        for (int i = 0; i < count; i++) {
            word ^= (long) bytes[at + i] << (8 * i); // the byte keeps its sign: the quirk of the partitioner
        }
        return word;
    }

    private static long mixK1(long k) {
        return Long.rotateLeft(k * C1, 31) * C2;
    }

    private static long mixK2(long k) {
        return Long.rotateLeft(k * C2, 33) * C1;
    }

    private static long finalMix(long k) {
        long mixed = (k ^ (k >>> 33)) * MIX1;
        mixed = (mixed ^ (mixed >>> 33)) * MIX2;
        return mixed ^ (mixed >>> 33);
    }
}
