package io.sluice.sstable.index;

import io.sluice.sstable.encoding.EscapedBytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import java.util.Arrays;

/**
 * Encodes partition keys as paths of a trie: the order of unsigned bytes is the order of partitions, and no path is a
 * prefix of another. Stateless.
 *
 * <pre>
 * u8 0x40, token: 8 bytes big-endian with its sign bit flipped, u8 0x40, key, u8 0x38
 * In the key a run of zeros is 00, FE for each further one, then FF; at the key's end FE instead. 00 ends a key that does
 * not end with a zero.
 * </pre>
 */
final class ComparableKey {
    /** The number of bytes that depend only on the token. */
    static final int TOKEN_BYTES = 1 + Long.BYTES;

    private static final int COMPONENT = 0x40;
    private static final int END = 0x38;

    private ComparableKey() {}

    /** Encodes a whole key. */
    static byte[] of(PartitionKey key) {
        var out = new GrowingBuffer();
        out.putByte(COMPONENT).putLong(key.token().value() ^ Long.MIN_VALUE).putByte(COMPONENT);
        EscapedBytes.write(key.bytes(), out);
        out.putByte(END);
        return out.toBytes().toArray();
    }

    /** Byte {@code index} of every key with this token, less than {@link #TOKEN_BYTES}. */
    static int byteOf(Token token, int index) {
        return index == 0 ? COMPONENT : (int) ((token.value() ^ Long.MIN_VALUE) >>> (64 - 8 * index)) & 0xff;
    }

    /** The first {@code length} bytes, or all if there are fewer. */
    static byte[] prefix(PartitionKey key, int length) {
        if (length > TOKEN_BYTES) {
            byte[] all = of(key);
            return all.length <= length ? all : Arrays.copyOf(all, length);
        }
        var prefix = new byte[length];
        for (int i = 0; i < length; i++) {
            prefix[i] = (byte) byteOf(key.token(), i);
        }
        return prefix;
    }

    /** The length of the common prefix of two different keys. */
    static int common(PartitionKey one, PartitionKey other) {
        long differing = one.token().value() ^ other.token().value();
        return differing != 0 ? 1 + Long.numberOfLeadingZeros(differing) / 8 : Arrays.mismatch(of(one), of(other));
    }

    /** Whether the first {@code length} bytes of {@code path} are a prefix of the encoding of {@code key}. */
    static boolean begins(byte[] path, int length, PartitionKey key) {
        if (length <= TOKEN_BYTES) {
            Token token = key.token();
            int equal = 0;
            while (equal < length && path[equal] == (byte) byteOf(token, equal)) {
                equal++;
            }
            return equal == length;
        }
        byte[] prefix = prefix(key, length);
        return prefix.length == length && Arrays.equals(prefix, 0, length, path, 0, length);
    }
}
