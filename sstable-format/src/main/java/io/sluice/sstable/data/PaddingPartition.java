package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.WellFormed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A partition without content, of a given length. It stands in the first chunk of a section of a compressed slice, so
 * that the following bytes keep their offsets within chunks. All of its rows are empty, as are rows of which all
 * columns have been dropped: readers skip them, and compaction drops the partition. Immutable.
 *
 * @param key before the next partition, in the slice's range
 * @param bytes all of the partition
 */
record PaddingPartition(PartitionKey key, Bytes bytes) {
    private static final int MAX_LENGTH_BYTES = 1 << 20;
    /** The distance to the previous item is a uvint that no reader needs: its length, 1 to 9, fits the gap. */
    private static final int MAX_EXTRA_BYTES = 8;

    /**
     * A padding partition of {@code gap} bytes, or {@code gap + chunkLength} if {@code gap} is too short; empty if no
     * suitable key was found between the start of the range and its first partition, if a clustering column has a type
     * without known values, or if the partition would be longer than 1 MiB.
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
        return emptyRow(header.clusteringTypes())
                .flatMap(row -> PaddingKeys.between(range.start(), first, header.keyType(), maxTries)
                        .flatMap(key -> Stream.of((long) gap, (long) gap + chunkLength)
                                .filter(length -> length <= MAX_LENGTH_BYTES)
                                .flatMap(length -> encode(key, row, length.intValue(), version, header).stream())
                                .findFirst()
                                .map(bytes -> new PaddingPartition(key, bytes))));
    }

    private static Optional<Row> emptyRow(List<CqlType> clusteringTypes) {
        List<Bytes> values = new ArrayList<>();
        for (CqlType type : clusteringTypes) {
            Optional<Bytes> value = WellFormed.valueOf(type);
            if (value.isEmpty()) {
                return Optional.empty();
            }
            values.add(value.get());
        }
        ClusteringPrefix clustering = ClusteringPrefix.row(values.toArray(Bytes[]::new));
        return Optional.of(new Row(clustering, Liveness.NONE, DeletionTime.LIVE, false, List.of()));
    }

    /** Empty if no number of rows has that length. */
    private static Optional<Bytes> encode(
            PartitionKey key, Row emptyRow, int length, Version version, SerializationHeader header) {
        var encoder = new RowEncoder(version, header);
        var out = new GrowingBuffer();
        encoder.write(emptyRow, 0, out);
        int shortest = out.length();
        out.clear();
        encoder.writeHeader(PartitionHeader.of(key), out);
        int left = length - out.length() - 1;
        int longest = shortest + MAX_EXTRA_BYTES;
        int rows = Math.max(0, (left + longest - 1) / longest);
        int extra = left - rows * shortest;
        if (extra < 0) {
            return Optional.empty();
        }
        for (; rows > 0; rows--) {
            int ofThis = extra / rows;
            encoder.write(emptyRow, ofThis == 0 ? 0 : 1L << (7 * ofThis), out);
            extra -= ofThis;
        }
        return Optional.of(out.putByte(RowFlags.END).toBytes());
    }
}
