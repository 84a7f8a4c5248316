package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.key.TokenKeys;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.sstable.type.WellFormed;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * Finds keys of {@link PaddingPartition}s: well-formed for their type, so that tools can print them, with a token in an
 * interval. Bytes and UUIDs can have any token. Keys of other types are searched: a candidate costs 8 to 30 ns, and on
 * average as many are needed as intervals of that size are in the ring. Stateless.
 */
final class PaddingKeys {
    private static final double RING = 0x1p64;
    private static final int MAX_TRIES = 1 << 23; // up to a tenth of a second of text, a quarter of other keys
    /** How many candidates of text can be tried in the time of one of another type, which is hashed as a whole. */
    private static final int OTHER_COST = 3;

    private static final int EXACT_KEY_BYTES = 16;
    private static final int TEXT_KEY_BYTES = 96; // room for a sentence that says what it is
    /** Every 64th UUID has the version and the variant of a time UUID. */
    private static final int MAX_UUID_TRIES = 2_000;

    private PaddingKeys() {}

    /** Whether keys of this type cannot be computed, so that a wide interval helps. */
    static boolean isSearched(CqlType type) {
        return !isOfAnyBytes(type) && type != Scalar.TIMEUUID;
    }

    private static boolean isText(CqlType type) {
        return type == Scalar.TEXT || type == Scalar.ASCII;
    }

    private static boolean isOfAnyBytes(CqlType type) {
        return type == Scalar.BLOB || type == Scalar.UUID || type == Scalar.LEXICAL_UUID;
    }

    /**
     * A key with a token after {@code start} and before {@code end}.
     *
     * @param maxTries maximum number of candidates if keys must be searched
     * @return empty if none was found, if so many candidates probably have none, or if all keys of the type are longer
     *     or shorter than what can be searched
     */
    static Optional<PartitionKey> between(Token start, Token end, CqlType type, long maxTries) {
        long interval = end.value() - start.value(); // unsigned: up to 2^64 - 1
        if (end.compareTo(start) <= 0 || interval == 1) {
            return Optional.empty();
        }
        if (isOfAnyBytes(type)) {
            return exact(start, end, key -> true);
        }
        if (type == Scalar.TIMEUUID) {
            return exact(start, end, WellFormed::isTimeuuid);
        }
        int tries = (int) Math.min(isText(type) ? maxTries : maxTries / OTHER_COST, MAX_TRIES);
        if (tries < 1 || (double) end.value() - start.value() < RING / tries) {
            return Optional.empty();
        }
        return isText(type)
                ? TokenKeys.text(start, end, TEXT_KEY_BYTES, tries)
                : Pattern.of(type).flatMap(pattern -> pattern.search(start, end, tries));
    }

    /** The last key of 16 bytes, one for each token, that is accepted. */
    private static Optional<PartitionKey> exact(Token start, Token end, Predicate<Bytes> isAccepted) {
        return LongStream.iterate(end.value() - 1, token -> token > start.value(), token -> token - 1)
                .limit(MAX_UUID_TRIES)
                .mapToObj(token -> TokenKeys.of(new Token(token), EXACT_KEY_BYTES))
                .filter(key -> isAccepted.test(key.bytes()))
                .findFirst();
    }

    /**
     * Keys of a type that differ in a number.
     *
     * @param bytes one of them
     * @param at the index of the number: eight hex digits, or four bytes
     */
    private record Pattern(Bytes bytes, int at, boolean isText) {
        private static final String TEXT = "no row is here: 00000000";

        static Optional<Pattern> of(CqlType type) {
            if (!(type instanceof CqlType.Composite composite)) {
                return ofPart(type);
            }
            boolean isText = false;
            int at = -1;
            var key = new GrowingBuffer();
            for (CqlType part : composite.parts()) {
                Optional<Pattern> searched = at < 0 ? ofPart(part) : Optional.empty();
                Optional<Bytes> value =
                        searched.isPresent() ? Optional.of(searched.get().bytes()) : WellFormed.valueOf(part);
                if (value.isEmpty()) {
                    return Optional.empty();
                }
                if (searched.isPresent()) {
                    isText = searched.get().isText();
                    at = key.length() + Short.BYTES + searched.get().at();
                }
                key.putShortBytes(value.get()).putByte(0);
            }
            return at < 0 ? Optional.empty() : Optional.of(new Pattern(key.toBytes(), at, isText));
        }

        /** Empty if there are too few values. */
        private static Optional<Pattern> ofPart(CqlType type) {
            if (PaddingKeys.isText(type)) {
                return Optional.of(new Pattern(Bytes.utf8(TEXT), TEXT.length() - Long.BYTES, true));
            }
            Optional<Bytes> value = switch (type instanceof Scalar scalar ? scalar : Scalar.EMPTY) {
                case BLOB, VARINT -> Optional.of(Bytes.ofLong(1L << 56));
                case DECIMAL ->
                    Optional.of(Bytes.hex("00000000" + Bytes.ofLong(1L << 56).hex())); // scale 0
                default -> WellFormed.valueOf(type);
            };
            return value.filter(some -> some.length() >= Integer.BYTES)
                    .map(some -> new Pattern(some, some.length() - Integer.BYTES, false));
        }

        Optional<PartitionKey> search(Token start, Token end, int maxTries) {
            return isText
                    ? TokenKeys.withHexDigits(start, end, bytes.toArray(), at, maxTries)
                    : TokenKeys.withNumber(start, end, bytes.toArray(), at, maxTries);
        }
    }
}
