package io.sluice.sstable.token;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * A set of tokens as normal ranges: ascending, disjoint, not adjacent, not wrapping (an end of {@link Token#MINIMUM}
 * means the end of the ring). Two sets of the same tokens are equal. Immutable.
 *
 * <p>Only the empty partition key, which no database accepts, has the lowest token; it is part of every set that begins
 * at it.
 */
public final class TokenRanges {
    public static final TokenRanges NONE = new TokenRanges(List.of());
    public static final TokenRanges FULL = new TokenRanges(List.of(TokenRange.FULL));

    private final List<TokenRange> ranges;
    private final long[] starts;

    private TokenRanges(List<TokenRange> normal) {
        this.ranges = List.copyOf(normal);
        this.starts = normal.stream().mapToLong(r -> r.start().value()).toArray();
    }

    public static TokenRanges of(TokenRange... ranges) {
        return of(List.of(ranges));
    }

    /** The set of any ranges, which may overlap and wrap. */
    public static TokenRanges of(Collection<TokenRange> ranges) {
        List<TokenRange> sorted = new ArrayList<>();
        ranges.forEach(range -> sorted.addAll(range.unwrapped()));
        sorted.sort(Comparator.comparing(TokenRange::start));
        List<TokenRange> merged = new ArrayList<>();
        for (TokenRange range : sorted) {
            TokenRange last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && inclusiveEnd(last) >= range.start().value()) {
                long end = Math.max(inclusiveEnd(last), inclusiveEnd(range));
                merged.set(merged.size() - 1, normal(last.start().value(), end));
            } else {
                merged.add(normal(range.start().value(), inclusiveEnd(range)));
            }
        }
        return new TokenRanges(merged);
    }

    /** The normal ranges, ascending. */
    public List<TokenRange> ranges() {
        return ranges;
    }

    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    public boolean contains(Token token) {
        return intersects(token, token);
    }

    /**
     * Whether any token from {@code first} to {@code last}, both included, is in this set: a binary search, for a node
     * has many SSTables and many ranges.
     */
    public boolean intersects(Token first, Token last) {
        int at = Arrays.binarySearch(starts, last.value());
        int index = at >= 0 ? at - 1 : -at - 2;
        boolean inside = index >= 0 && first.value() <= inclusiveEnd(ranges.get(index));
        return inside || (at == 0 && last.equals(Token.MINIMUM));
    }

    public TokenRanges union(TokenRanges other) {
        List<TokenRange> all = new ArrayList<>(ranges);
        all.addAll(other.ranges);
        return of(all);
    }

    public TokenRanges intersection(TokenRanges other) {
        List<TokenRange> result = new ArrayList<>();
        for (int i = 0, j = 0; i < ranges.size() && j < other.ranges.size(); ) {
            TokenRange a = ranges.get(i);
            TokenRange b = other.ranges.get(j);
            long start = Math.max(a.start().value(), b.start().value());
            long end = Math.min(inclusiveEnd(a), inclusiveEnd(b));
            if (start < end) {
                result.add(normal(start, end));
            }
            if (inclusiveEnd(a) <= inclusiveEnd(b)) {
                i++;
            } else {
                j++;
            }
        }
        return new TokenRanges(result);
    }

    /** The tokens of this set that are not in {@code other}. */
    public TokenRanges minus(TokenRanges other) {
        return intersection(other.complement());
    }

    private TokenRanges complement() {
        List<TokenRange> result = new ArrayList<>();
        long from = Long.MIN_VALUE;
        for (TokenRange range : ranges) {
            if (range.start().value() > from) {
                result.add(TokenRange.of(from, range.start().value()));
            }
            from = inclusiveEnd(range);
        }
        if (from < Long.MAX_VALUE) {
            result.add(normal(from, Long.MAX_VALUE));
        }
        return new TokenRanges(result);
    }

    private static long inclusiveEnd(TokenRange range) {
        return range.end().equals(Token.MINIMUM) ? Long.MAX_VALUE : range.end().value();
    }

    private static TokenRange normal(long start, long inclusiveEnd) {
        return TokenRange.of(start, inclusiveEnd == Long.MAX_VALUE ? Long.MIN_VALUE : inclusiveEnd);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TokenRanges that && ranges.equals(that.ranges);
    }

    @Override
    public int hashCode() {
        return ranges.hashCode();
    }

    @Override
    public String toString() {
        return ranges.toString();
    }
}
