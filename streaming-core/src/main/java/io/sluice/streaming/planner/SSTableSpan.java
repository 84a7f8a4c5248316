package io.sluice.streaming.planner;

import io.sluice.sstable.token.Token;

/**
 * An SSTable of a source as a planner sees it: its first and last token (both included), and the length of all its
 * components. Immutable.
 */
public record SSTableSpan(Token first, Token last, long lengthBytes) {
    public SSTableSpan {
        if (first.compareTo(last) > 0 || lengthBytes < 0) {
            throw new IllegalArgumentException("span: " + first + " to " + last + ", " + lengthBytes + " bytes");
        }
    }

    /** The bytes between two tokens, both included, if they are spread evenly. */
    long bytesBetween(long from, long to) {
        long start = Math.max(from, first.value());
        long end = Math.min(to, last.value());
        if (start > end) {
            return 0;
        }
        boolean isWhole = start == first.value() && end == last.value();
        return isWhole
                ? lengthBytes
                : Math.round(lengthBytes * (width(start, end) / width(first.value(), last.value())));
    }

    /** The number of tokens from {@code first} to {@code last}, both included. */
    static double width(long first, long last) {
        return (double) last - (double) first + 1;
    }
}
