package io.sluice.sstable.token;

import java.util.List;

/**
 * A range of tokens, start excluded and end included. {@code start >= end} wraps around the ring; {@code start == end}
 * is the whole ring. Immutable.
 */
public record TokenRange(Token start, Token end) {
    /** The whole ring. */
    public static final TokenRange FULL = new TokenRange(Token.MINIMUM, Token.MINIMUM);

    public static TokenRange of(long start, long end) {
        return new TokenRange(new Token(start), new Token(end));
    }

    /** Whether the range continues at the lowest token after the highest. */
    public boolean wraps() {
        return start.compareTo(end) >= 0;
    }

    public boolean contains(Token token) {
        boolean afterStart = token.compareTo(start) > 0;
        boolean untilEnd = token.compareTo(end) <= 0;
        return wraps() ? afterStart || untilEnd : afterStart && untilEnd;
    }

    /**
     * The same tokens as at most two ranges that do not wrap, ascending; an end of {@link Token#MINIMUM} then means "up
     * to and including the highest token".
     */
    List<TokenRange> unwrapped() {
        if (!wraps() || end.equals(Token.MINIMUM)) {
            return List.of(this);
        }
        if (start.value() == Long.MAX_VALUE) {
            return List.of(new TokenRange(Token.MINIMUM, end));
        }
        if (start.equals(end)) {
            return List.of(FULL);
        }
        return List.of(new TokenRange(Token.MINIMUM, end), new TokenRange(start, Token.MINIMUM));
    }

    @Override
    public String toString() {
        return "(" + start + "," + end + "]";
    }
}
