package io.sluice.harness.scenario;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Ranges of tokens on each of which nothing changes within it. Stateless. */
final class ElementaryRanges {
    private ElementaryRanges() {}

    /** The ranges between all ends of ranges of two rings. */
    static List<TokenRange> between(Ring before, Ring after) {
        Set<Token> ends = new TreeSet<>();
        before.ranges().forEach(range -> ends.add(range.end()));
        after.ranges().forEach(range -> ends.add(range.end()));
        List<Token> sorted = List.copyOf(ends);
        List<TokenRange> ranges = new ArrayList<>();
        for (int i = 0; i < sorted.size(); i++) {
            ranges.add(new TokenRange(sorted.get((i + sorted.size() - 1) % sorted.size()), sorted.get(i)));
        }
        return ranges;
    }

    /** The nodes of a ring that hold a range within which no range of the ring ends. */
    static Set<Node> replicas(Ring ring, TokenRange range) {
        boolean isEndOfRing = range.end().equals(Token.MINIMUM);
        return ring.replicas(isEndOfRing ? new Token(Long.MAX_VALUE) : range.end());
    }

    /** A range in {@code parts} of about the same width; itself if it is too narrow. */
    static List<TokenRange> split(TokenRange range, int parts) {
        long start = range.start().value();
        long width = range.end().value() - start; // modulo 2^64, as the ring is; 0 is all of it
        long step = width == 0 ? Long.divideUnsigned(-1L, parts) : Long.divideUnsigned(width, parts);
        if (step == 0) {
            return List.of(range);
        }
        List<TokenRange> split = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            long end = part == parts - 1 ? range.end().value() : start + step;
            split.add(TokenRange.of(start, end));
            start = end;
        }
        return split;
    }
}
