package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.key.TokenKeys;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.type.CqlType;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An empty partition of a given length. It precedes the first partition of a compressed slice, so that the following
 * bytes keep their offsets within chunks; reads ignore it, and compaction drops it. Immutable.
 *
 * @param key before the first partition, in the slice's range
 * @param bytes all of the partition
 */
record PaddingPartition(PartitionKey key, Bytes bytes) {
    private static final double RING = 0x1p64;
    private static final int MAX_TRIES = 1 << 23; // about a tenth of a second

    /**
     * A padding partition of {@code gap} bytes, or {@code gap + chunkLength} if {@code gap} is too short; empty if the
     * key type has a fixed length, or no suitable key was found between the start of the range and its first partition.
     *
     * @param maxTries maximum number of candidates if keys must be searched
     */
    static Optional<PaddingPartition> of(
            int gap,
            int chunkLength,
            Token first,
            TokenRange range,
            long maxTries,
            Version version,
            SerializationHeader header) {
        int shortest = encode(PartitionKey.of(Bytes.EMPTY), version, header).length();
        return Stream.of(gap, gap + chunkLength)
                .map(length -> length - shortest)
                .filter(length -> length >= TokenKeys.MIN_LENGTH_BYTES && length <= PartitionKey.MAX_LENGTH_BYTES)
                .findFirst()
                .flatMap(length -> key(length, first, range, (int) Math.min(maxTries, MAX_TRIES), header.keyType()))
                .map(key -> new PaddingPartition(key, encode(key, version, header)));
    }

    /** A key that is well-formed for its type, so that tools can print it. */
    private static Optional<PartitionKey> key(int length, Token first, TokenRange range, int maxTries, CqlType type) {
        double rangeSection = (double) first.value() - range.start().value();
        if (rangeSection < 2 || first.equals(Token.MINIMUM)) {
            return Optional.empty();
        }
        if (type == CqlType.Scalar.BLOB) {
            return Optional.of(first.value() - 1)
                    .filter(token -> token > range.start().value())
                    .map(token -> TokenKeys.of(new Token(token), length));
        }
        boolean isText = type == CqlType.Scalar.TEXT || type == CqlType.Scalar.ASCII;
        if (!isText || maxTries < 1 || rangeSection < RING / maxTries) {
            return Optional.empty();
        }
        return TokenKeys.text(range.start(), first, length, maxTries);
    }

    private static Bytes encode(PartitionKey key, Version version, SerializationHeader header) {
        var out = new GrowingBuffer();
        new RowEncoder(version, header).writeHeader(PartitionHeader.of(key), out);
        return out.putByte(RowFlags.END).toBytes();
    }
}
