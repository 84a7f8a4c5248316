package io.sluice.sstable.key;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.Token;

/**
 * A partition key with its hash. Ordered as partitions are in every file: by token, then by unsigned bytes. Immutable.
 */
public final class PartitionKey implements Comparable<PartitionKey> {
    /** The longest key. */
    public static final int MAX_LENGTH_BYTES = 0xffff;

    private final Bytes bytes;
    private final Murmur3 hash;

    private PartitionKey(Bytes bytes, Murmur3 hash) {
        this.bytes = bytes;
        this.hash = hash;
    }

    /** The key of these bytes, at most 65535. */
    public static PartitionKey of(Bytes bytes) {
        if (bytes.length() > MAX_LENGTH_BYTES) {
            throw new IllegalArgumentException(
                    "length of a key: " + bytes.length() + " (expected: at most " + MAX_LENGTH_BYTES + ")");
        }
        return new PartitionKey(bytes, Murmur3.of(bytes.toArray()));
    }

    /** The key of these bytes, at most 65535, with a known hash. */
    static PartitionKey of(Bytes bytes, Murmur3 hash) {
        return new PartitionKey(bytes, hash);
    }

    public Bytes bytes() {
        return bytes;
    }

    /** The hash of the key, for tokens and filters. */
    public Murmur3 hash() {
        return hash;
    }

    /** The token; only the empty key has {@link Token#MINIMUM}. */
    public Token token() {
        return bytes.isEmpty() ? Token.MINIMUM : hash.token();
    }

    @Override
    public int compareTo(PartitionKey other) {
        int byToken = token().compareTo(other.token());
        return byToken != 0 ? byToken : bytes.compareTo(other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PartitionKey that && bytes.equals(that.bytes);
    }

    @Override
    public int hashCode() {
        return (int) hash.h1();
    }

    /** Hex digits of the key, abbreviated as {@link Bytes#toString()}, and its token. */
    @Override
    public String toString() {
        return bytes + " (token " + token() + ")";
    }
}
