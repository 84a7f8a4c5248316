package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.compression.DataWriter;
import io.sluice.sstable.compression.StoredChunks;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OutputFiles;
import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.metadata.CommitLogCoverage;
import io.sluice.sstable.metadata.Histogram;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Cuts the partitions of token ranges out of an SSTable as an SSTable of its own, without decoding a row: the bytes of
 * each range are contiguous in Data.db and stay as they are. Positions in the index are re-based; summary, tries,
 * filter, checksums, compression offsets and statistics are made anew.
 *
 * <p>A compressed Data.db keeps its chunks, but for those that a range begins or ends in. What stands before a range in
 * its first chunk is replaced by a {@link PaddingPartition}; if there can be none, or looking for one would cost more,
 * all chunks of the range are compressed again.
 *
 * <p>Bounds of times and clusterings are those of the source, so they enclose; numbers of rows and cells are estimates.
 * Level and repair state are those of the source. Every byte that is read is checked against the checksums that there
 * are. One use each; not thread-safe.
 */
public final class SliceWriter implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;
    /** A candidate for the key of a padding partition costs about as much as compressing this again. */
    private static final int BYTES_PER_TRY = 4;

    private final SSTable source;
    private final SerializationHeader header;
    private final List<RangeSection> rangeSections;
    private final NewSSTable files;
    private final boolean isLinking;
    private final Runnable progress;
    private final Histogram.Builder partitionLengths;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private final SliceIndex index;
    private final DataReader data;
    private long bytesAsTheyWere;

    private SliceWriter(
            SSTable source, List<RangeSection> rangeSections, NewSSTable files, boolean isLinking, Runnable progress)
            throws IOException {
        this.source = source;
        this.header = SerializationHeader.parse(source.statistics().header());
        this.rangeSections = rangeSections;
        this.files = files;
        this.isLinking = isLinking;
        this.progress = progress;
        this.partitionLengths = Histogram.Builder.ofLengths(source.descriptor().version());
        this.index = SliceIndex.open(source);
        try {
            this.data = source.openData();
        } catch (IOException | RuntimeException failed) {
            index.close();
            throw failed;
        }
    }

    /**
     * A slice that was cut.
     *
     * @param sstable it, durable and visible
     * @param bytesAsTheyWere bytes of its Data.db that are copied as the source stores them
     */
    public record Slice(SSTable sstable, long bytesAsTheyWere) {}

    /**
     * A slice of which most bytes stay where they are. Immutable.
     *
     * @param files all components, but that Data.db holds only what is new
     * @param data what the slice's Data.db consists of, in order: bytes of {@code files} and of the source's
     * @param dataBytes length of the slice's Data.db
     */
    public record SliceRegions(SSTable files, List<FileRegion> data, long dataBytes) {
        public SliceRegions {
            data = List.copyOf(data);
        }

        /** Some bytes of a file; at least one. */
        public record FileRegion(Path file, long offset, long lengthBytes) {}
    }

    /**
     * Cuts a slice.
     *
     * @param directory exists and holds no SSTable of that descriptor
     * @param descriptor of the source's version
     * @return empty if no partition lies in the ranges
     * @throws SSTableException if what is read of the source is damaged; then nothing remains
     */
    public static Optional<Slice> write(SSTable source, TokenRanges ranges, Path directory, Descriptor descriptor)
            throws IOException {
        List<RangeSection> rangeSections = source.rangeSections(ranges);
        if (rangeSections.isEmpty()) {
            return Optional.empty();
        }
        var place = new NewSSTable.Place(new LocalFiles(), directory, descriptor);
        try (SliceWriter writer = begin(source, rangeSections, place, false, () -> {})) {
            SSTable slice = writer.write().sstable();
            return Optional.of(new Slice(slice, writer.bytesAsTheyWere));
        }
    }

    /** Cuts a slice of one range. */
    public static Optional<Slice> write(SSTable source, TokenRange range, Path directory, Descriptor descriptor)
            throws IOException {
        return write(source, TokenRanges.of(range), directory, descriptor);
    }

    /**
     * Prepares a slice that can be read piece by piece, without copying the bytes that stay as they are. They are read
     * and checked, though; the source must not change while the outline is in use. What is made is not synced.
     *
     * @param files where it is made: all that is written passes through
     * @param rangeSections of the source, ascending, at least one
     * @param directory exists and holds no SSTable of that descriptor; what is made there is no SSTable
     * @param descriptor of the source's version
     * @param progress runs whenever a thousand entries of the index, or a piece of the data, were read; what it throws
     *     ends the work, and nothing remains
     * @throws SSTableException if what is read of the source is damaged; then nothing remains
     */
    public static SliceRegions sliceRegions(
            OutputFiles files,
            SSTable source,
            List<RangeSection> rangeSections,
            Path directory,
            Descriptor descriptor,
            Runnable progress)
            throws IOException {
        var place = new NewSSTable.Place(files, directory, descriptor);
        try (SliceWriter writer = begin(source, rangeSections, place, true, progress)) {
            NewSSTable.Finished finished = writer.write();
            long length = finished.data().storedLengthBytes();
            return new SliceRegions(finished.sstable(), writer.regions(finished), length);
        }
    }

    private static SliceWriter begin(
            SSTable source,
            List<RangeSection> rangeSections,
            NewSSTable.Place place,
            boolean isLinking,
            Runnable progress)
            throws IOException {
        Descriptor descriptor = place.descriptor();
        if (descriptor.version() != source.descriptor().version() || rangeSections.isEmpty()) {
            throw new IllegalArgumentException("slice " + descriptor + " of " + source + ", " + rangeSections.size()
                    + " sections (expected: one version, at least one section)");
        }
        NewSSTable files = NewSSTable.create(place, WriterOptions.like(source), !isLinking);
        try {
            return new SliceWriter(source, rangeSections, files, isLinking, progress);
        } catch (IOException | RuntimeException failed) {
            files.close();
            throw failed;
        }
    }

    private NewSSTable.Finished write() throws IOException {
        if (source.isCompressed()) {
            writeCompressed();
        } else {
            writePlain();
        }
        return files.finish(source.statistics().header(), this::stats);
    }

    /** All of it is linked, so that chunks of the checksums may reach from one section into the next. */
    private void writePlain() throws IOException {
        if (isLinking) {
            files.beginLink(0);
        }
        for (RangeSection rangeSection : rangeSections) {
            Section section = rangeSection.section();
            index.copy(rangeSection, section.start() - files.dataLengthBytes(), files, partitionLengths, progress);
            bytesAsTheyWere += copyPlain(section.start(), section.end());
        }
    }

    private List<SliceRegions.FileRegion> regions(NewSSTable.Finished finished) {
        Path sourceData = source.path(Component.DATA);
        if (!source.isCompressed()) {
            return rangeSections.stream()
                    .map(RangeSection::section)
                    .map(section -> new SliceRegions.FileRegion(sourceData, section.start(), section.lengthBytes()))
                    .toList();
        }
        List<SliceRegions.FileRegion> regions = new ArrayList<>();
        Path own = finished.sstable().path(Component.DATA);
        long written = 0;
        for (DataWriter.Link link : finished.data().links()) {
            addRegion(own, written, link.writtenBefore() - written, regions);
            addRegion(sourceData, link.position(), link.lengthBytes(), regions);
            written = link.writtenBefore();
        }
        addRegion(own, written, finished.sstable().lengthBytes(Component.DATA) - written, regions);
        return regions;
    }

    private static void addRegion(Path file, long offset, long lengthBytes, List<SliceRegions.FileRegion> regions) {
        if (lengthBytes > 0) {
            regions.add(new SliceRegions.FileRegion(file, offset, lengthBytes));
        }
    }

    private void writeCompressed() throws IOException {
        try (StoredChunks chunks =
                StoredChunks.open(source.path(Component.DATA), source.path(Component.COMPRESSION_INFO))) {
            for (RangeSection rangeSection : rangeSections) {
                writeCompressed(rangeSection, chunks);
            }
        }
    }

    /** Bytes keep their place inside of chunks, or are compressed again. */
    private void writeCompressed(RangeSection rangeSection, StoredChunks chunks) throws IOException {
        int chunkLength = chunks.info().parameters().chunkLengthBytes();
        Section section = rangeSection.section();
        int gap = (int) Math.floorMod(section.start() - files.dataLengthBytes(), (long) chunkLength);
        Optional<PaddingPartition> padding = gap == 0 ? Optional.empty() : padding(gap, chunkLength, rangeSection);
        if (gap != 0 && padding.isEmpty()) {
            index.copy(rangeSection, section.start() - files.dataLengthBytes(), files, partitionLengths, progress);
            copyPlain(section.start(), section.end());
            return;
        }
        if (padding.isPresent()) {
            Bytes bytes = padding.get().bytes();
            partitionLengths.add(bytes.length());
            files.index().add(padding.get().key(), files.dataLengthBytes());
            files.addHash(padding.get().key().hash());
            files.addData(bytes.asBuffer());
        }
        index.copy(rangeSection, section.start() - files.dataLengthBytes(), files, partitionLengths, progress);
        long firstChunk = (section.start() + chunkLength - 1) / chunkLength;
        copyPlain(section.start(), Math.min(section.end(), firstChunk * chunkLength));
        copyChunks(section, chunks, firstChunk);
    }

    /** None if looking for its key costs more than compressing the section again. */
    private Optional<PaddingPartition> padding(int gap, int chunkLength, RangeSection rangeSection) throws IOException {
        return PaddingPartition.of(
                gap,
                chunkLength,
                index.firstToken(rangeSection),
                rangeSection.range(),
                rangeSection.section().lengthBytes() / BYTES_PER_TRY,
                source.descriptor().version(),
                header);
    }

    /** Copies uncompressed bytes; returns how many. */
    private long copyPlain(long start, long end) throws IOException {
        for (long at = start; at < end; ) {
            long nextMultiple = at / BUFFER_BYTES * BUFFER_BYTES + BUFFER_BYTES; // whole chunks are read in place
            buffer.clear().limit((int) (Math.min(end, nextMultiple) - at));
            data.read(at, buffer);
            at += buffer.position();
            files.addData(buffer.flip());
            progress.run();
        }
        return end - start;
    }

    /**
     * Copies what the chunks from {@code first} on hold of the section: those that it ends in anew, as they hold bytes
     * of the neighbour too, the others as they are stored.
     */
    private void copyChunks(Section section, StoredChunks chunks, long first) throws IOException {
        long chunkLength = chunks.info().parameters().chunkLengthBytes();
        boolean isToEnd = section.end() == source.dataLengthBytes();
        long end = isToEnd ? chunks.info().chunkCount() : section.end() / chunkLength;
        if (first < end && isLinking) {
            files.beginLink(chunks.position(first));
        }
        for (long index = first; index < end; index++) {
            ByteBuffer stored = chunks.read(index);
            bytesAsTheyWere += stored.remaining();
            files.addStored(stored, (int) Math.min(chunkLength, section.end() - index * chunkLength));
            progress.run();
        }
        if (first < end && isLinking) {
            files.endLink();
        }
        copyPlain(Math.max(first, end) * chunkLength, section.end());
    }

    private Stats stats(double compressionRatio) {
        Stats whole = source.statistics().stats();
        long lengthBytes = rangeSections.stream()
                .mapToLong(rangeSection -> rangeSection.section().lengthBytes())
                .sum();
        double share = (double) lengthBytes / source.dataLengthBytes();
        Stats.Distributions distributions = whole.distributions();
        Stats.Content content = whole.content();
        return new Stats(
                new Stats.Distributions(
                        partitionLengths.build(),
                        distributions.cells().scaled(share),
                        distributions.dropTimes(),
                        compressionRatio),
                CommitLogCoverage.NONE,
                whole.times(),
                whole.placement().ofNoHost(),
                new Stats.Content(
                        content.clusterings(),
                        content.hasLegacyCounterShards(),
                        scaled(content.cells(), share),
                        scaled(content.rows(), share),
                        content.keys().map(this::keys)));
    }

    private static long scaled(long number, double share) {
        return number == 0 ? 0 : Math.max(1, Math.round(number * share));
    }

    private Stats.KeyCoverage keys(Stats.KeyCoverage whole) {
        return new Stats.KeyCoverage(
                whole.hasPartitionDeletions(),
                files.index().firstKey(),
                files.index().lastKey(),
                Double.NaN);
    }

    @Override
    public void close() throws IOException {
        try (files;
                index) {
            data.close();
        }
    }
}
