package io.sluice.harness.audit;

import io.sluice.sstable.merge.ContentDigest;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A partition: where it lies, and the fingerprint of its content. Ordered as files are: by token, then by unsigned
 * bytes. Immutable; {@code key} is not to be changed.
 */
@SuppressWarnings("ArrayRecordComponent") // millions of them, never compared by equals
record Entry(long token, byte[] key, long high, long low) implements Comparable<Entry> {
    static Entry of(byte[] key, long high, long low) {
        return new Entry(KeyToken.of(key), key, high, low);
    }

    @Override
    public int compareTo(Entry other) {
        int byToken = Long.compare(token, other.token);
        return byToken != 0 ? byToken : Arrays.compareUnsigned(key, other.key);
    }

    /** Its length in a ledger. */
    int lengthBytes() {
        return Short.BYTES + key.length + 2 * Long.BYTES;
    }

    /** Whether it was deleted: nothing of it may be alive where it belongs. */
    boolean isDeleted() {
        return high == ContentDigest.EMPTY.high() && low == ContentDigest.EMPTY.low();
    }

    boolean hasContentOf(Entry other) {
        return high == other.high && low == other.low;
    }

    @Override
    public String toString() {
        return "partition " + HexFormat.of().formatHex(key) + " at token " + token;
    }
}
