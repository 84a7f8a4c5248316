package io.sluice.sstable.token;

/**
 * A place on the ring of the Murmur3 partitioner: a signed 64-bit number. Immutable.
 *
 * <p>{@link #MINIMUM} is the place before every key but the empty one; it also stands for "the end of the ring" in
 * ranges.
 */
public record Token(long value) implements Comparable<Token> {
    public static final Token MINIMUM = new Token(Long.MIN_VALUE);

    @Override
    public int compareTo(Token other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
