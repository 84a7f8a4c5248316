package io.sluice.simulation;

import io.sluice.sstable.token.TokenRange;
import java.util.Collection;
import java.util.List;

/**
 * A section of the ring as the oracle reads it, with its own arithmetic, so that it does not repeat an error of the
 * production code. Start excluded, end included; {@code start >= end} wraps around the highest token. Immutable.
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

    /** The first token. No store accepts the lowest token of all for a partition, so it is in no section. */
    long first() {
        return start == Long.MAX_VALUE ? Long.MIN_VALUE + 1 : start + 1;
    }

    /** The last token; the highest of all if the section ends at the lowest, which no partition has. */
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
