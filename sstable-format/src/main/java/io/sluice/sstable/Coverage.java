package io.sluice.sstable;

/** How much of an SSTable is in a set of token ranges. */
public enum Coverage {
    /** Every partition. */
    WHOLE,
    /** Some partitions, not all. */
    PART,
    /** No partition. */
    NONE
}
