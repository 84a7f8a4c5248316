package io.sluice.sstable.key;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ItemWindow;
import io.sluice.sstable.token.Token;
import java.io.IOException;
import java.util.Arrays;

/**
 * The current partition key of a cursor: each key is read into the same memory, hashed, and checked for ascending
 * order. Not thread-safe: confined to its cursor.
 */
public final class CurrentKey {
    private static final int FIRST_CAPACITY_BYTES = 64;

    private byte[] bytes = new byte[FIRST_CAPACITY_BYTES];
    private byte[] previous = new byte[FIRST_CAPACITY_BYTES];
    private int length;
    private int previousLength;
    private long h1;
    private long h2;
    private long token;
    private boolean isFirst = true;

    /**
     * Reads the next key: {@code u16} length, then the bytes.
     *
     * @throws io.sluice.sstable.component.SSTableException if it is truncated, or not after the previous one
     */
    public void read(ItemWindow in) throws IOException {
        byte[] spare = previous;
        previous = bytes;
        previousLength = length;
        long previousToken = token;
        length = in.readUnsignedShort();
        int offset = in.offset();
        in.skip(length);
        bytes = spare.length >= length ? spare : new byte[length];
        in.copyTo(bytes, offset, length);
        Murmur3 hash = Murmur3.of(bytes, 0, length);
        h1 = hash.h1();
        h2 = hash.h2();
        token = length == 0 ? Token.MINIMUM.value() : hash.token().value();
        boolean isAscending = isFirst
                || token > previousToken
                || (token == previousToken
                        && Arrays.compareUnsigned(bytes, 0, length, previous, 0, previousLength) > 0);
        if (!isAscending) {
            PartitionKey before = PartitionKey.of(Bytes.wrap(previous, 0, previousLength));
            throw in.malformed("partition " + copy() + " after " + before + " (expected: ascending)");
        }
        isFirst = false;
    }

    /** The token of the key. */
    public long token() {
        return token;
    }

    /** The hash of the key, for filters. */
    public Murmur3 hash() {
        return new Murmur3(h1, h2);
    }

    /** A copy. */
    public PartitionKey copy() {
        return PartitionKey.of(Bytes.wrap(Arrays.copyOf(bytes, length)), hash());
    }
}
