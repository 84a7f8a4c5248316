package io.sluice.bench.mutation;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.Values;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.TreeSet;

/**
 * What comes before the rows. Immutable.
 *
 * @param header all columns that any source knows; times are relative to the least base of all
 * @param estimatedPartitions how many there are about
 */
record Opening(Encoding encoding, SerializationHeader header, long estimatedPartitions) {
    private static final int MAGIC = 0x534c4d31;
    private static final int FIXED_BYTES = Integer.BYTES + 1 + Long.BYTES;

    /** @param sstables of one table, at least one */
    static Opening of(Encoding encoding, Collection<SSTable> sstables, TokenRanges ranges) throws IOException {
        SerializationHeader all = null;
        double partitions = 0;
        for (SSTable sstable : sstables) {
            SerializationHeader header =
                    SerializationHeader.parse(sstable.statistics().header());
            all = all == null ? header : union(all, header);
            long bytes = sstable.sections(ranges).stream()
                    .mapToLong(Section::lengthBytes)
                    .sum();
            long inAll = sstable.statistics()
                    .stats()
                    .distributions()
                    .partitionLengths()
                    .total();
            partitions += (double) inAll * bytes / sstable.dataLengthBytes();
        }
        if (all == null) {
            throw new IllegalArgumentException("no SSTables (expected: at least one)");
        }
        return new Opening(encoding, all, Math.round(partitions));
    }

    private static SerializationHeader union(SerializationHeader a, SerializationHeader b) {
        var base = new SerializationHeader.Base(
                Math.min(a.base().timestamp(), b.base().timestamp()),
                Math.min(a.base().localDeletionTime(), b.base().localDeletionTime()),
                Math.min(a.base().ttl(), b.base().ttl()));
        TreeSet<Column> statics = new TreeSet<>(a.staticColumns());
        statics.addAll(b.staticColumns());
        TreeSet<Column> regulars = new TreeSet<>(a.regularColumns());
        regulars.addAll(b.regularColumns());
        return new SerializationHeader(
                base,
                a.keyType(),
                a.clusteringTypes(),
                statics.stream().toList(),
                regulars.stream().toList());
    }

    void encode(GrowingBuffer out) {
        out.putInt(MAGIC)
                .putByte(encoding.number())
                .putLong(estimatedPartitions)
                .put(header.toBytes());
    }

    /** @throws StreamException of code {@link ErrorCode#PROTOCOL} if it is none */
    static Opening decode(ByteBuffer in) {
        if (in.remaining() < FIXED_BYTES || in.getInt() != MAGIC) {
            throw new StreamException(
                    ErrorCode.PROTOCOL, "opening of " + in.limit() + " bytes (expected: that of a stream of rows)");
        }
        Encoding encoding = Encoding.ofNumber(in.get());
        long partitions = in.getLong();
        try {
            return new Opening(encoding, SerializationHeader.parse(Values.take(in, in.remaining())), partitions);
        } catch (SSTableException | IllegalArgumentException malformed) {
            throw new StreamException(
                    ErrorCode.PROTOCOL, "opening of a stream of rows: " + malformed.getMessage(), malformed);
        }
    }
}
