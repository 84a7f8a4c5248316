package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.compression.DataWriter;
import io.sluice.sstable.compression.PlainSums;
import io.sluice.sstable.compression.StoredChunks;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.function.LongConsumer;

/**
 * Writes the partitions of token ranges of an SSTable as a new SSTable, without decoding rows: the bytes of each range
 * are contiguous in its Data.db, and stay unchanged. Positions in the index are re-based; summary, tries, filter,
 * checksums, compression offsets and statistics are rebuilt.
 *
 * <p>A compressed Data.db keeps its chunks, except those at the ends of ranges. A {@link PaddingPartition} in the first
 * chunk of a range makes up for the bytes before it; if there is none, or the search would be more expensive, all
 * chunks of the range are recompressed.
 *
 * <p>The index and the data of a slice are written in parallel if a thread is available: with tiny partitions the index
 * is as expensive as the data.
 *
 * <p>Bounds of times and clusterings are those of the source, which enclose the slice's but for empty rows of padding;
 * numbers of rows, cells and droppable tombstones are estimates. Level and repair state are those of the source. Every
 * byte read is checked against the available checksums. For one use; not thread-safe. Long because data, index and
 * statistics are re-based from the same ranges.
 */
public final class SliceWriter implements Closeable {
    /**
     * The content of a range before its padding partition is shorter than this, and than the rest of the source's chunk
     * in which it begins.
     */
    public static final int PADDING_WINDOW_BYTES = 1 << 18;

    private static final int BUFFER_BYTES = 1 << 16;

    private final SSTable source;
    private final SerializationHeader header;
    private final SlicePlacement placement;
    private final NewSSTable files;
    private final boolean isLinking;
    private final Effort effort;
    private final Histogram.Builder partitionLengths;
    private final SliceIndex index;
    private final DataReader data;
    private long bytesAsTheyWere;
    /** Set by the thread that writes the index. */
    private Optional<String> filterProblem = Optional.empty();

    private SliceWriter(SSTable source, SlicePlacement placement, NewSSTable files, boolean isLinking, Effort effort)
            throws IOException {
        this.source = source;
        this.header = SerializationHeader.parse(source.statistics().header());
        this.placement = placement;
        this.files = files;
        this.isLinking = isLinking;
        this.effort = effort;
        this.partitionLengths = Histogram.Builder.ofLengths(source.descriptor().version());
        try {
            ReusedFilter.of(source, share())
                    .ifPresent(reused -> files.useFilter(reused.filter(), reused.testInterval()));
        } catch (SSTableException malformed) {
            filterProblem = Optional.of(String.valueOf(malformed.getMessage())); // a new one is sound
        }
        this.index = SliceIndex.open(source, files.hashInterval() == ReusedFilter.ALL);
        try {
            this.data = source.openData();
        } catch (IOException | RuntimeException failed) {
            index.close();
            throw failed;
        }
    }

    /**
     * A helper for a slice, and a progress listener.
     *
     * @param helper writes the index while the caller reads the data; an executor that runs tasks at once writes it
     *     first
     * @param progress is called after every piece of data, with the uncompressed position of the source behind it, and
     *     before every section that is placed and after every thousand index entries, with 0; on either thread; an
     *     exception ends the work
     */
    public record Effort(Executor helper, LongConsumer progress) {
        /** No helper and no listener. */
        public static final Effort ALONE = new Effort(Runnable::run, position -> {});
    }

    /**
     * A written slice.
     *
     * @param sstable the slice, durable and visible
     * @param bytesAsTheyWere bytes of its Data.db that were copied unchanged
     * @param filterProblem why the filter of the source, which is damaged, was not used again; empty if none was found
     */
    public record Slice(SSTable sstable, long bytesAsTheyWere, Optional<String> filterProblem) {}

    /**
     * A slice whose unchanged bytes stay in the source's file. Immutable.
     *
     * @param files all components; Data.db has only new bytes
     * @param data the regions of the slice's Data.db, in order: of {@code files} and of the source
     * @param dataBytes length of the slice's Data.db
     * @param filterProblem as of {@link Slice}
     */
    public record SliceRegions(SSTable files, List<FileRegion> data, long dataBytes, Optional<String> filterProblem) {
        public SliceRegions {
            data = List.copyOf(data);
        }

        /** A region of a file; not empty. */
        public record FileRegion(Path file, long offset, long lengthBytes) {}
    }

    /**
     * Cuts a slice; nobody waits for it.
     *
     * @param directory exists, without an SSTable of that descriptor
     * @param descriptor of the source's version
     * @return empty if no partition is in the ranges
     * @throws SSTableException if the source is corrupt; then nothing is left
     */
    public static Optional<Slice> write(SSTable source, TokenRanges ranges, Path directory, Descriptor descriptor)
            throws IOException {
        return write(source, ranges, directory, descriptor, Effort.ALONE);
    }

    /** The same, with somebody who helps or watches. */
    public static Optional<Slice> write(
            SSTable source, TokenRanges ranges, Path directory, Descriptor descriptor, Effort effort)
            throws IOException {
        List<RangeSection> rangeSections = source.rangeSections(ranges);
        if (rangeSections.isEmpty()) {
            return Optional.empty();
        }
        var place = new NewSSTable.Place(new LocalFiles(), directory, descriptor);
        try (SliceWriter writer = begin(source, place(source, rangeSections, effort), place, false, effort)) {
            SSTable slice = writer.write().sstable();
            return Optional.of(new Slice(slice, writer.bytesAsTheyWere, writer.filterProblem));
        }
    }

    /** Cuts a slice of one range. */
    public static Optional<Slice> write(SSTable source, TokenRange range, Path directory, Descriptor descriptor)
            throws IOException {
        return write(source, TokenRanges.of(range), directory, descriptor);
    }

    /**
     * Prepares a slice as regions, without copying unchanged bytes. They are read and checked, though; the source must
     * not change while the regions are in use. The new files are not synced.
     *
     * @param files performs all writes
     * @param placement of at least one section of the source
     * @param directory exists, without an SSTable of that descriptor; what is made there is no SSTable
     * @param descriptor of the source's version
     * @throws SSTableException if the source is corrupt; then nothing is left
     */
    public static SliceRegions sliceRegions(
            OutputFiles files,
            SSTable source,
            SlicePlacement placement,
            Path directory,
            Descriptor descriptor,
            Effort effort)
            throws IOException {
        var place = new NewSSTable.Place(files, directory, descriptor);
        try (SliceWriter writer = begin(source, placement, place, true, effort)) {
            NewSSTable.Finished finished = writer.write();
            long length = finished.data().storedLengthBytes();
            return new SliceRegions(finished.sstable(), writer.regions(finished), length, writer.filterProblem);
        }
    }

    /** The same, of sections that are placed first. */
    public static SliceRegions sliceRegions(
            OutputFiles files,
            SSTable source,
            List<RangeSection> rangeSections,
            Path directory,
            Descriptor descriptor,
            Effort effort)
            throws IOException {
        return sliceRegions(files, source, place(source, rangeSections, effort), directory, descriptor, effort);
    }

    private static SlicePlacement place(SSTable source, List<RangeSection> rangeSections, Effort effort)
            throws IOException {
        return SlicePlacement.of(source, rangeSections, () -> effort.progress().accept(0));
    }

    private static SliceWriter begin(
            SSTable source, SlicePlacement placement, NewSSTable.Place place, boolean isLinking, Effort effort)
            throws IOException {
        Descriptor descriptor = place.descriptor();
        int sections = placement.rangeSections().size();
        if (descriptor.version() != source.descriptor().version() || sections == 0) {
            throw new IllegalArgumentException("slice " + descriptor + " of " + source + ", " + sections
                    + " sections (expected: one version, at least one section)");
        }
        NewSSTable files = NewSSTable.create(place, WriterOptions.like(source), !isLinking);
        try {
            return new SliceWriter(source, placement, files, isLinking, effort);
        } catch (IOException | RuntimeException failed) {
            files.close();
            throw failed;
        }
    }

    private NewSSTable.Finished write() throws IOException {
        List<PlacedSection> placed = placement.placed();
        FutureTask<Void> writtenIndex = new FutureTask<>(() -> {
            for (PlacedSection section : placed) {
                writeIndex(section);
            }
            if (files.lacksKeys()) {
                replaceFilter(placed);
            }
            return null;
        });
        effort.helper().execute(writtenIndex);
        if (writtenIndex.isDone()) {
            requireDone(writtenIndex); // report a failure before reading the data
        }
        try {
            if (source.isCompressed()) {
                writeCompressed(placed);
            } else {
                writePlain(placed);
            }
        } catch (IOException | RuntimeException | Error failed) {
            writtenIndex.run(); // unless the helper has begun it: no thread works on it when this is thrown
            failureOf(writtenIndex).filter(other -> other != failed).ifPresent(failed::addSuppressed);
            throw failed;
        }
        writtenIndex.run();
        requireDone(writtenIndex);
        return files.finish(source.statistics().header(), this::stats);
    }

    /** How much of the source's data is in the slice, 0 to 1. */
    private double share() {
        return (double) sectionBytes() / source.dataLengthBytes();
    }

    private long sectionBytes() {
        return placement.rangeSections().stream()
                .mapToLong(rangeSection -> rangeSection.section().lengthBytes())
                .sum();
    }

    /** Waits for the task even if interrupted: its files cannot be closed before. */
    private static Optional<Throwable> failureOf(FutureTask<Void> task) {
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return Optional.empty();
                } catch (ExecutionException e) {
                    return Optional.ofNullable(e.getCause());
                } catch (InterruptedException e) {
                    wasInterrupted = true;
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void requireDone(FutureTask<Void> task) throws IOException {
        Optional<Throwable> failure = failureOf(task);
        if (failure.isEmpty()) {
            return;
        }
        if (failure.get() instanceof IOException broken) {
            throw broken;
        } else if (failure.get() instanceof RuntimeException refused) {
            throw refused;
        } else if (failure.get() instanceof Error fatal) {
            throw fatal;
        }
        throw new IllegalStateException(failure.get());
    }

    private void writeIndex(PlacedSection placed) throws IOException {
        if (placed.padding().isPresent()) {
            PaddingPartition padding = placed.padding().get();
            partitionLengths.add(padding.lengthBytes());
            files.index().add(padding.key(), placed.position() - padding.lengthBytes());
            files.addHash(padding.key().hash());
        }
        index.copy(
                placed.rangeSection(),
                placed.base(),
                files,
                partitionLengths,
                () -> effort.progress().accept(0));
    }

    /** The filter of the source lacks a key: makes a new one of all keys. */
    private void replaceFilter(List<PlacedSection> placed) throws IOException {
        filterProblem = Optional.of(source.path(Component.FILTER) + ": lacks a key (expected: all keys of the index)");
        files.dropFilter();
        for (PlacedSection one : placed) {
            one.padding().ifPresent(padding -> files.addHash(padding.key().hash()));
            SliceIndex.addHashes(source, one.rangeSection(), files);
        }
    }

    /** Links all bytes, if so desired; checksum chunks may span sections. */
    private void writePlain(List<PlacedSection> placed) throws IOException {
        if (isLinking) {
            files.beginLink(0);
        }
        if (isLinking && source.components().contains(Component.CRC)) {
            try (PlainSums sums =
                    PlainSums.open(source.path(Component.DATA), source.path(Component.CRC), sectionBytes())) {
                for (PlacedSection one : placed) {
                    Section section = one.section();
                    files.link(sums, section.start(), section.end(), effort.progress());
                    bytesAsTheyWere += section.lengthBytes();
                }
            }
            return;
        }
        for (PlacedSection one : placed) {
            bytesAsTheyWere += copyPlain(one.section().start(), one.section().end());
        }
    }

    private List<SliceRegions.FileRegion> regions(NewSSTable.Finished finished) {
        Path sourceData = source.path(Component.DATA);
        if (!source.isCompressed()) {
            return placement.rangeSections().stream()
                    .map(RangeSection::section)
                    .map(section -> new SliceRegions.FileRegion(sourceData, section.start(), section.lengthBytes()))
                    .toList();
        }
        List<SliceRegions.FileRegion> regions = new ArrayList<>();
        Path own = finished.sstable().path(Component.DATA);
        long written = 0;
        for (DataWriter.LinkedBytes link : finished.data().links()) {
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

    private void writeCompressed(List<PlacedSection> placed) throws IOException {
        try (StoredChunks chunks =
                StoredChunks.open(source.path(Component.DATA), source.path(Component.COMPRESSION_INFO))) {
            for (PlacedSection one : placed) {
                writeCompressed(one, chunks);
            }
        }
    }

    /** Bytes keep their offsets within chunks, or are recompressed. */
    private void writeCompressed(PlacedSection placed, StoredChunks chunks) throws IOException {
        int chunkLength = chunks.info().parameters().chunkLengthBytes();
        Section section = placed.section();
        if (placed.padding().isPresent()) {
            files.addData(placed.padding()
                    .get()
                    .encode(source.descriptor().version(), header)
                    .asBuffer());
        }
        if (placed.base() % chunkLength != 0) {
            copyPlain(section.start(), section.end());
            return;
        }
        long firstChunk = (section.start() + chunkLength - 1) / chunkLength;
        copyPlain(section.start(), Math.min(section.end(), firstChunk * chunkLength));
        copyChunks(section, chunks, firstChunk);
    }

    /** Copies uncompressed bytes; returns how many. */
    private long copyPlain(long start, long end) throws IOException {
        if (start >= end) {
            return 0;
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(BUFFER_BYTES, end - start));
        for (long at = start; at < end; ) {
            long nextMultiple = at / BUFFER_BYTES * BUFFER_BYTES + BUFFER_BYTES; // whole chunks are read in place
            buffer.clear().limit((int) (Math.min(end, nextMultiple) - at));
            data.read(at, buffer);
            at += buffer.position();
            files.addData(buffer.flip());
            effort.progress().accept(at);
        }
        return end - start;
    }

    /**
     * Copies the chunks of the section from {@code first} on: as stored, except the last one, which also has bytes of
     * the next section and is recompressed.
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
            effort.progress().accept((index + 1) * chunkLength);
        }
        if (first < end && isLinking) {
            files.endLink();
        }
        copyPlain(Math.max(first, end) * chunkLength, section.end());
    }

    private Stats stats(double compressionRatio) {
        Stats whole = source.statistics().stats();
        double share = share();
        Stats.Distributions distributions = whole.distributions();
        Stats.Content content = whole.content();
        return new Stats(
                new Stats.Distributions(
                        partitionLengths.build(),
                        distributions.cells().scaled(share),
                        distributions.dropTimes().scaled(share),
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
