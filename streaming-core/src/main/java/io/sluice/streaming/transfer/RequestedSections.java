package io.sluice.streaming.transfer;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.compression.CompressionInfo;
import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The requested sections of one SSTable, and what else the choice of a mode depends on. Immutable.
 *
 * @param bytesOnDisk of all components
 * @param dataLengthBytes of Data.db, uncompressed; at least 1
 * @param chunkLengthBytes of compressed chunks; empty if Data.db is not compressed
 * @param rangeSections the sections of requested partitions, ascending; empty if there are none
 */
public record RequestedSections(
        long bytesOnDisk, long dataLengthBytes, Optional<Integer> chunkLengthBytes, List<RangeSection> rangeSections) {
    public RequestedSections {
        rangeSections = List.copyOf(rangeSections);
    }

    /** Reads the index; for BIG it does not read Data.db. */
    public static RequestedSections of(SSTable sstable, TokenRanges ranges) throws IOException {
        return new RequestedSections(
                sstable.bytesOnDisk(),
                sstable.dataLengthBytes(),
                sstable.compression().map(CompressionInfo::parameters).map(parameters -> parameters.chunkLengthBytes()),
                sstable.rangeSections(ranges));
    }

    /** Uncompressed bytes of the requested partitions. */
    public long wantedBytes() {
        return rangeSections.stream()
                .map(RangeSection::section)
                .mapToLong(Section::lengthBytes)
                .sum();
    }

    boolean isAll() {
        return wantedBytes() == dataLengthBytes;
    }

    /** Bytes on disk per byte of rows: includes compression, index and filter. */
    double storedPerByte() {
        return (double) bytesOnDisk / dataLengthBytes;
    }
}
