package io.sluice.sstable.index;

import io.sluice.sstable.token.TokenRange;

/**
 * Where the partitions of a token range lie. Immutable.
 *
 * @param range that the first of them is in; others may be in ranges behind it, if no partition lies between
 */
public record RangeSection(TokenRange range, Section section) {}
