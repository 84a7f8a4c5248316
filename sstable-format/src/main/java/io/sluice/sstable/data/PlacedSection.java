package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A section of the source, and its place in the slice. Immutable.
 *
 * @param position of its first byte in the slice
 * @param padding directly before it
 */
record PlacedSection(RangeSection rangeSection, long position, Optional<PaddingPartition> padding) {
    /** A candidate for the key of a padding partition costs about as much as recompressing this number of bytes. */
    private static final int BYTES_PER_TRY = 4;

    Section section() {
        return rangeSection.section();
    }

    /** The difference between positions in the source and in the slice. */
    long base() {
        return section().start() - position;
    }

    /** The uncompressed bytes that are written anew for it, at most, if chunks are so long. */
    long newBytes(int chunkLengthBytes) {
        long padded = padding.map(PaddingPartition::lengthBytes).orElse(0);
        boolean keepsChunks = base() % chunkLengthBytes == 0;
        return padded
                + (keepsChunks
                        ? Math.min(section().lengthBytes(), 2L * chunkLengthBytes)
                        : section().lengthBytes());
    }

    /**
     * Places sections one behind the other. Those of compressed data get the padding partition that keeps them at their
     * offsets within chunks, unless the search for its key costs more than recompressing the section. It stands before
     * the section, or, if its key must be searched, between those two partitions of its first chunk that leave most
     * tokens to it: then the section is divided there.
     *
     * @param progress runs before each section of compressed data; an exception ends the work
     * @throws SSTableException if the index does not have the sections
     */
    static List<PlacedSection> all(
            List<RangeSection> rangeSections, SSTable source, SerializationHeader header, Runnable progress)
            throws IOException {
        List<PlacedSection> placed = new ArrayList<>();
        if (source.compression().isEmpty()) {
            rangeSections.forEach(next -> placed.add(unpadded(next, endOf(placed))));
            return placed;
        }
        try (PartitionCursor partitions = source.fewPartitions()) {
            for (RangeSection next : rangeSections) {
                progress.run();
                placed.addAll(place(next, endOf(placed), partitions, source, header));
            }
        }
        return placed;
    }

    private static List<PlacedSection> place(
            RangeSection rangeSection, long end, PartitionCursor partitions, SSTable source, SerializationHeader header)
            throws IOException {
        int chunkLength = source.compression().orElseThrow().parameters().chunkLengthBytes();
        Section section = rangeSection.section();
        int bytes = (int) Math.floorMod(section.start() - end, (long) chunkLength);
        if (bytes == 0) {
            return List.of(unpadded(rangeSection, end));
        }
        int untilChunk = (int) Math.floorMod(-section.start(), (long) chunkLength);
        int window =
                PaddingKeys.isSearched(header.keyType()) ? Math.min(untilChunk, SliceWriter.PADDING_WINDOW_BYTES) : 0;
        Gap gap = Gap.find(rangeSection, partitions, source, window);
        Optional<PaddingPartition> padding = gap.padding(bytes, chunkLength, rangeSection, source, header);
        if (padding.isEmpty()) {
            return List.of(unpadded(rangeSection, end));
        }
        long position = gap.position() - section.start() + end + padding.get().lengthBytes();
        if (gap.position() == section.start()) {
            return List.of(new PlacedSection(rangeSection, position, padding));
        }
        Token start = rangeSection.range().start();
        RangeSection before = part(rangeSection, start, section.start(), gap.position());
        RangeSection behind = part(rangeSection, gap.start(), gap.position(), section.end());
        return List.of(unpadded(before, end), new PlacedSection(behind, position, padding));
    }

    private static PlacedSection unpadded(RangeSection rangeSection, long position) {
        return new PlacedSection(rangeSection, position, Optional.empty());
    }

    private static long endOf(List<PlacedSection> placed) {
        if (placed.isEmpty()) {
            return 0;
        }
        PlacedSection last = placed.get(placed.size() - 1);
        return last.position() + last.section().lengthBytes();
    }

    private static RangeSection part(RangeSection whole, Token after, long start, long end) {
        return new RangeSection(new TokenRange(after, whole.range().end()), new Section(start, end));
    }

    /**
     * Tokens without a partition, all of them in the range.
     *
     * @param start the start of the range, or the token of the partition before
     * @param end the token of the partition at {@code position}
     */
    private record Gap(Token start, Token end, long position) {
        /**
         * The widest before a partition that begins in the first {@code window} bytes; with 0, that before the first.
         */
        static Gap find(RangeSection rangeSection, PartitionCursor partitions, SSTable source, int window)
                throws IOException {
            Section section = rangeSection.section();
            long limit = Math.min(section.end(), section.start() + window);
            partitions.seekAfter(rangeSection.range().start());
            PartitionEntry entry = partitions
                    .next()
                    .filter(first -> first.position() == section.start())
                    .orElseThrow(() -> SliceIndex.changed(source, section));
            Gap widest = new Gap(rangeSection.range().start(), entry.token(), entry.position());
            while (entry.end() < limit) {
                Token last = entry.token();
                entry = partitions.next().orElseThrow(() -> SliceIndex.changed(source, section));
                if (!rangeSection.range().contains(entry.token())) {
                    break; // of a later range: not all tokens in between are wanted
                }
                Gap gap = new Gap(last, entry.token(), entry.position());
                widest = gap.width() > widest.width() ? gap : widest;
            }
            return widest;
        }

        private double width() {
            return (double) end.value() - start.value();
        }

        Optional<PaddingPartition> padding(
                int bytes, int chunkLength, RangeSection rangeSection, SSTable source, SerializationHeader header) {
            long maxTries = (rangeSection.section().end() - position) / BYTES_PER_TRY;
            return PaddingKeys.between(start, end, header.keyType(), maxTries)
                    .flatMap(key -> PaddingPartition.of(
                            key, bytes, chunkLength, source.descriptor().version(), header));
        }
    }
}
