package io.sluice.sstable.data;

/**
 * What a new SSTable takes from its table's settings. Immutable.
 *
 * @param filterChance false-positive chance of the Bloom filter, above 0.0000671; 1.0 for no filter
 * @param minIndexInterval every how many keys the summary samples one, 1 or more
 */
public record WriterOptions(double filterChance, int minIndexInterval) {
    /** The defaults of a table: one false positive in a hundred, every 128th key. */
    public static final WriterOptions DEFAULTS = new WriterOptions(0.01, 128);

    public WriterOptions {
        if (!(filterChance > 0 && filterChance <= 1)) {
            throw new IllegalArgumentException("filter chance: " + filterChance + " (expected: above 0, at most 1)");
        }
        if (minIndexInterval < 1) {
            throw new IllegalArgumentException("index interval: " + minIndexInterval + " (expected: at least 1)");
        }
    }
}
