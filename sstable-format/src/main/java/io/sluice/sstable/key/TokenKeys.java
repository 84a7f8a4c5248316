package io.sluice.sstable.key;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.Token;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.ObjIntConsumer;

/**
 * Creates keys for given tokens: keys of arbitrary bytes, of a given length, for an exact token; keys of text, and keys
 * that contain a number, for any token in an interval. Stateless.
 *
 * <p>Every step of {@link Murmur3} is invertible, so the last whole block of 16 bytes can be computed from the required
 * state; the bytes after it are zeros, which do not change the state. Text is found by search: candidates differ in
 * eight bytes of their last whole block, so each costs one step instead of a pass over the key.
 */
public final class TokenKeys {
    /** The shortest key that can have any token. */
    public static final int MIN_LENGTH_BYTES = 16;

    private static final String TEXT = "no row is here: this fills a gap that a streamed slice left, until compaction ";

    private static final long INVERSE_OF_5 = inverse(5);
    private static final long INVERSE_C1 = inverse(Murmur3.C1);
    private static final long INVERSE_C2 = inverse(Murmur3.C2);
    private static final long INVERSE_MIX1 = inverse(Murmur3.MIX1);
    private static final long INVERSE_MIX2 = inverse(Murmur3.MIX2);

    private TokenKeys() {}

    /**
     * A key of {@code lengthBytes} whose token is {@code token}.
     *
     * @param token any except {@link Token#MINIMUM}, which only the empty key has
     * @param lengthBytes {@value #MIN_LENGTH_BYTES} to {@value PartitionKey#MAX_LENGTH_BYTES}
     */
    public static PartitionKey of(Token token, int lengthBytes) {
        requireLength(lengthBytes);
        if (token.equals(Token.MINIMUM)) {
            throw new IllegalArgumentException("token: " + token + " (expected: any other)");
        }
        int block = (lengthBytes & ~15) - 16;
        long before1 = 0;
        long before2 = 0;
        for (int i = 0; i < block; i += 16) { // blocks of zeros
            before1 = (Long.rotateLeft(before1, 27) + before2) * 5 + Murmur3.ADD1;
            before2 = (Long.rotateLeft(before2, 31) + before1) * 5 + Murmur3.ADD2;
        }
        // The end: token = mix(a) + mix(b), with mix(b) free to choose.
        long a = undoMix(token.value());
        long b = undoMix(0);
        long after2 = b - a;
        long after1 = a - after2;
        after1 ^= lengthBytes;
        after2 ^= lengthBytes;
        long mixed1 = Long.rotateRight((after1 - Murmur3.ADD1) * INVERSE_OF_5 - before2, 27) ^ before1;
        long mixed2 = Long.rotateRight((after2 - Murmur3.ADD2) * INVERSE_OF_5 - after1, 31) ^ before2;
        byte[] key = new byte[lengthBytes];
        ByteBuffer.wrap(key)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(block, Long.rotateRight(mixed1 * INVERSE_C2, 31) * INVERSE_C1)
                .putLong(block + 8, Long.rotateRight(mixed2 * INVERSE_C1, 33) * INVERSE_C2);
        return PartitionKey.of(Bytes.wrap(key));
    }

    /**
     * A key of ASCII text with a token after {@code start} and before {@code end}.
     *
     * @param lengthBytes {@value #MIN_LENGTH_BYTES} to {@value PartitionKey#MAX_LENGTH_BYTES}
     * @param maxTries maximum number of candidates; on average the size of the ring divided by that of the interval is
     *     needed
     * @return empty if no candidate has such a token
     */
    public static Optional<PartitionKey> text(Token start, Token end, int lengthBytes, int maxTries) {
        requireLength(lengthBytes);
        byte[] key = new byte[lengthBytes];
        Arrays.fill(key, (byte) '.');
        byte[] head = TEXT.getBytes(StandardCharsets.US_ASCII);
        int block = (lengthBytes & ~15) - 16;
        System.arraycopy(head, 0, key, 0, Math.min(head.length, block));
        Murmur3.Family family = new Murmur3.Family(key, block);
        for (int i = 0; i < maxTries; i++) {
            long token = family.tokenOf(hexDigits(i));
            if (token > start.value() && token < end.value()) {
                ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN).putLong(block, hexDigits(i));
                return Optional.of(PartitionKey.of(Bytes.wrap(key)));
            }
        }
        return Optional.empty();
    }

    /**
     * A key with a token after {@code start} and before {@code end} that equals {@code pattern} except for eight hex
     * digits at {@code at}. Slower than {@link #text}, but for keys of any length.
     *
     * @param maxTries as of {@link #text}
     * @return empty if no candidate has such a token
     */
    public static Optional<PartitionKey> withHexDigits(Token start, Token end, byte[] pattern, int at, int maxTries) {
        return search(start, end, pattern, maxTries, (key, number) -> key.putLong(at, hexDigits(number)));
    }

    /** The same with four bytes at {@code at}, a number from 2^31 on: few rows have such a one. */
    public static Optional<PartitionKey> withNumber(Token start, Token end, byte[] pattern, int at, int maxTries) {
        return search(start, end, pattern, maxTries, (key, number) -> key.putInt(at, Integer.MIN_VALUE + number));
    }

    private static Optional<PartitionKey> search(
            Token start, Token end, byte[] pattern, int maxTries, ObjIntConsumer<ByteBuffer> putNumber) {
        byte[] key = pattern.clone();
        ByteBuffer candidate = ByteBuffer.wrap(key);
        for (int i = 0; i < maxTries; i++) {
            putNumber.accept(candidate, i);
            long token = Murmur3.of(key).token().value();
            if (token > start.value() && token < end.value()) {
                return Optional.of(PartitionKey.of(Bytes.wrap(key)));
            }
        }
        return Optional.empty();
    }

    /**
     * Eight hex digits in ASCII, the lowest in the lowest byte; computed in parallel, because a search needs millions.
     */
    static long hexDigits(int number) {
        long nibbles = number & 0xffffffffL;
        nibbles = (nibbles | nibbles << 16) & 0x0000ffff0000ffffL;
        nibbles = (nibbles | nibbles << 8) & 0x00ff00ff00ff00ffL;
        nibbles = (nibbles | nibbles << 4) & 0x0f0f0f0f0f0f0f0fL;
        long letters = (nibbles + 0x0606060606060606L) >>> 4 & 0x0101010101010101L; // a one for each of a to f
        return nibbles + 0x3030303030303030L + letters * ('a' - '0' - 10);
    }

    private static void requireLength(int lengthBytes) {
        if (lengthBytes < MIN_LENGTH_BYTES || lengthBytes > PartitionKey.MAX_LENGTH_BYTES) {
            throw new IllegalArgumentException("length of a key: " + lengthBytes + " (expected: " + MIN_LENGTH_BYTES
                    + " to " + PartitionKey.MAX_LENGTH_BYTES + ")");
        }
    }

    private static long undoMix(long mixed) {
        long k = mixed ^ (mixed >>> 33);
        k *= INVERSE_MIX2;
        k ^= k >>> 33;
        k *= INVERSE_MIX1;
        return k ^ (k >>> 33);
    }

    /** The multiplicative inverse of {@code odd} modulo 2^64, by Newton's iteration. */
    private static long inverse(long odd) {
        long inverse = odd; // right in the lowest three bits
        for (int bits = 3; bits < Long.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }
}
