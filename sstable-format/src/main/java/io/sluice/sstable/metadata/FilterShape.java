package io.sluice.sstable.metadata;

import java.math.BigDecimal;
import java.math.MathContext;

/**
 * The number of bits and hashes of a filter for a false-positive chance: the same choice as Cassandra's, so that equal
 * keys produce equal files. Immutable.
 */
record FilterShape(int bitsPerKey, int hashCount) {
    private static final double COARSEST_CHANCE = 0.393;
    private static final int SPARE_BITS = 20;
    private static final int MIN_BITS_PER_KEY = 2;
    private static final int MAX_BITS_PER_KEY = 20;

    /** The rates have three digits. */
    private static final MathContext DIGITS = new MathContext(3);

    /** The fewest bits for which some number of hashes achieves the chance, then the fewest hashes. */
    static FilterShape of(double chance) {
        if (chance >= COARSEST_CHANCE) {
            return new FilterShape(1, 2);
        }
        for (int bits = MIN_BITS_PER_KEY; bits <= MAX_BITS_PER_KEY; bits++) {
            for (int hashes = 1; hashes <= mostHashes(bits); hashes++) {
                if (rate(bits, hashes) <= chance) {
                    return new FilterShape(bits, hashes);
                }
            }
        }
        throw new IllegalArgumentException("filter chance: " + chance + " (expected: at least 0.0000671)");
    }

    /** The length in words for a number of keys. */
    int wordsFor(long keys) {
        long bits = Math.addExact(Math.multiplyExact(keys, bitsPerKey), SPARE_BITS);
        return Math.toIntExact((bits + Long.SIZE - 1) / Long.SIZE);
    }

    private static int mostHashes(int bits) {
        return switch (bits) {
            case 7 -> 6;
            case 8 -> 7;
            case 9, 10, 11, 12 -> 8;
            case 13 -> 9;
            case 14, 15 -> 10;
            case 16 -> 11;
            case 17, 18 -> 12;
            case 19 -> 13;
            case 20 -> 14;
            default -> bits;
        };
    }

    private static double rate(int bits, int hashes) {
        if (bits == 5 && hashes == 3) {
            return 0.092; // the one entry of the published table that does not follow the formula
        }
        double exact = Math.pow(1 - Math.exp(-(double) hashes / bits), hashes);
        return new BigDecimal(exact).round(DIGITS).doubleValue();
    }
}
