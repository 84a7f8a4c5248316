package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.compression.CompressionInfo;
import io.sluice.sstable.index.RangeSection;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The sections of an SSTable, and their places in a slice of it, which show how much of its Data.db will be new before
 * anything is written. Immutable.
 */
public final class SlicePlacement {
    private final List<RangeSection> rangeSections;
    private final List<PlacedSection> placed;
    private final long newBytes;

    private SlicePlacement(List<RangeSection> rangeSections, List<PlacedSection> placed, long newBytes) {
        this.rangeSections = List.copyOf(rangeSections);
        this.placed = List.copyOf(placed);
        this.newBytes = newBytes;
    }

    /**
     * Places sections; searches keys for their padding partitions, up to a quarter of a second for each.
     *
     * @param rangeSections of the source, ascending
     * @param progress runs before each section that may need a padding partition; an exception ends the work
     * @throws io.sluice.sstable.component.SSTableException if the index does not have the sections
     * @throws IOException if a file cannot be read
     */
    public static SlicePlacement of(SSTable source, List<RangeSection> rangeSections, Runnable progress)
            throws IOException {
        SerializationHeader header =
                SerializationHeader.parse(source.statistics().header());
        List<PlacedSection> placed = PlacedSection.all(rangeSections, source, header, progress);
        Optional<CompressionInfo> compression = source.compression();
        long newBytes = 0;
        if (compression.isPresent()) {
            int chunkLength = compression.get().parameters().chunkLengthBytes();
            for (PlacedSection section : placed) {
                newBytes += section.newBytes(chunkLength);
            }
        }
        return new SlicePlacement(rangeSections, placed, newBytes);
    }

    /**
     * The uncompressed bytes of Data.db that are not taken over from the source, at most: sections without a padding
     * partition, otherwise the chunks at their ends. 0 if Data.db is not compressed.
     */
    public long newBytes() {
        return newBytes;
    }

    List<RangeSection> rangeSections() {
        return rangeSections;
    }

    List<PlacedSection> placed() {
        return placed;
    }
}
