package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.WellFormed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * A partition without content, of a given length. It stands in the first chunk of a section of a compressed slice, so
 * that the following bytes keep their offsets within chunks. All of its rows are empty, as are rows of which all
 * columns have been dropped: readers skip them, and compaction drops the partition. Immutable.
 *
 * @param key before the next partition, in the slice's range
 * @param lengthBytes of the whole partition, at most {@value #MAX_LENGTH_BYTES}
 */
record PaddingPartition(PartitionKey key, int lengthBytes) {
    private static final int MAX_LENGTH_BYTES = 1 << 20;
    /** The distance to the previous item is a uvint that no reader needs: its length, 1 to 9, fits the gap. */
    private static final int MAX_EXTRA_BYTES = 8;

    /**
     * A padding partition of {@code gap} bytes, or {@code gap + chunkLength} if {@code gap} is too short; empty if a
     * clustering column has a type without known values, or if it would be too long.
     */
    static Optional<PaddingPartition> of(
            PartitionKey key, int gap, int chunkLength, Version version, SerializationHeader header) {
        return emptyRow(header.clusteringTypes())
                .flatMap(row -> LongStream.of(gap, (long) gap + chunkLength)
                        .filter(length -> length <= MAX_LENGTH_BYTES)
                        .mapToObj(length -> new PaddingPartition(key, (int) length))
                        .filter(padding -> padding.rows(row, new RowEncoder(version, header))
                                .isPossible())
                        .findFirst());
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

    /**
     * How many rows fill the partition.
     *
     * @param extraBytes what they are longer together than the shortest ones; less than 0 if so many are too long
     */
    private record Rows(int count, int extraBytes) {
        boolean isPossible() {
            return extraBytes >= 0;
        }
    }

    private Rows rows(Row emptyRow, RowEncoder encoder) {
        var out = new GrowingBuffer();
        encoder.write(emptyRow, 0, out);
        int shortest = out.length();
        int longest = shortest + MAX_EXTRA_BYTES;
        out.clear();
        encoder.writeHeader(PartitionHeader.of(key), out);
        int left = lengthBytes - out.length() - 1;
        int count = Math.max(0, (left + longest - 1) / longest);
        return new Rows(count, left - count * shortest);
    }

    /** All bytes of the partition, for the version and the header that it was made for. */
    Bytes encode(Version version, SerializationHeader header) {
        var encoder = new RowEncoder(version, header);
        Row row = emptyRow(header.clusteringTypes()).orElseThrow();
        Rows rows = rows(row, encoder);
        var out = new GrowingBuffer();
        encoder.writeHeader(PartitionHeader.of(key), out);
        int extra = rows.extraBytes();
        for (int left = rows.count(); left > 0; left--) {
            int ofThis = extra / left;
            encoder.write(row, ofThis == 0 ? 0 : 1L << (7 * ofThis), out);
            extra -= ofThis;
        }
        return out.putByte(RowFlags.END).toBytes();
    }
}
