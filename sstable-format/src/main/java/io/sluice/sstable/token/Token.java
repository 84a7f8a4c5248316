package io.sluice.sstable.token;

/**
 * A token of the Murmur3 partitioner: a signed 64-bit number. Immutable.
 *
 * <p>{@link #MINIMUM} is less than the token of every key except the empty one; as the end of a range it means the end
 * of the ring.
 */
public record Token(long value) implements Comparable<Token> {
    public static final Token MINIMUM = new Token(Long.MIN_VALUE);

    // Written out, as in other records that most commands compare: Java spins code for a record's own when it first
    // runs.
    @Override
    public boolean equals(Object other) {
        return other instanceof Token token && token.value == value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value);
    }

    @Override
    public int compareTo(Token other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
