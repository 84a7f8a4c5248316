package io.sluice.sstable.index;

import io.sluice.sstable.token.TokenRange;

/**
 * The section of the partitions of token ranges. Immutable.
 *
 * @param range the range of the first partition; others may be in later ranges, if no partition is in between
 */
public record RangeSection(TokenRange range, Section section) {}
