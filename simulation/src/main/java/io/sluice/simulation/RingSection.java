package io.sluice.simulation;

import io.sluice.sstable.token.TokenRange;
import java.util.Collection;
import java.util.List;

/**
 * A section of the ring as the oracle reads it: with arithmetic of its own, so that an error of the production code
 * cannot agree with itself. Start excluded, end included; {@code start >= end} goes past the highest token. Immutable.
 */
record RingSection(long start, long end) {
    static List<RingSection> of(Collection<TokenRange> ranges) {
        return ranges.stream()
                .map(range -> new RingSection(range.start().value(), range.end().value()))
                .toList();
    }

    boolean contains(long token) {
        return start < end ? start < token && token <= end : token > start || token <= end;
    }

    /** The lowest token that no store accepts as a partition's is in no section. */
    long first() {
        return start == Long.MAX_VALUE ? Long.MIN_VALUE + 1 : start + 1;
    }

    /** The highest token of all if it ends at the lowest, which none has. */
    long last() {
        return end == Long.MIN_VALUE ? Long.MAX_VALUE : end;
    }

    boolean overlaps(RingSection other) {
        return contains(other.first()) || other.contains(first());
    }

    static boolean anyContains(Collection<RingSection> sections, long token) {
        return sections.stream().anyMatch(section -> section.contains(token));
    }

    static boolean anyOverlap(Collection<RingSection> some, Collection<RingSection> others) {
        return some.stream().anyMatch(one -> others.stream().anyMatch(one::overlaps));
    }
}
