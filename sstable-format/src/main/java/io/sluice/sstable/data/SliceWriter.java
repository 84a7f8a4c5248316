package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.compression.DataWriter;
import io.sluice.sstable.compression.StoredChunks;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.BigCursor;
import io.sluice.sstable.index.EntryCursor;
import io.sluice.sstable.index.IndexEntry;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.metadata.CommitLogCoverage;
import io.sluice.sstable.metadata.Histogram;
import io.sluice.sstable.metadata.Placement;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Cuts the partitions of a token range out of an SSTable as an SSTable of its own, without decoding a row: their bytes
 * are contiguous in Data.db and stay as they are. Positions in the index are re-based; summary, filter, checksums,
 * compression offsets and statistics are made anew.
 *
 * <p>A compressed Data.db keeps its chunks, but for the first, unless the range happens to begin with one. What stands
 * before the range in that chunk is replaced by a {@link Filler}; if there can be none, all chunks are compressed
 * again. Bytes of the neighbour may stay behind the end in the last chunk, where no reader looks.
 *
 * <p>Bounds of times and clusterings are those of the source, so they enclose; numbers of rows and cells are estimates.
 * The slice is unrepaired and at level 0. Every byte that is read is checked against the checksums that there are. One
 * use each; not thread-safe.
 */
public final class SliceWriter implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final SSTable source;
    private final SerializationHeader header;
    private final TokenRange range;
    private final Section section;
    private final NewSSTable files;
    private final boolean isLinking;
    private final Histogram.Builder partitionLengths;
    private long bytesAsTheyWere;
    private long linkOffset;

    private SliceWriter(SSTable source, TokenRange range, Section section, NewSSTable files, boolean isLinking)
            throws IOException {
        this.source = source;
        this.header = SerializationHeader.parse(source.statistics().header());
        this.range = range;
        this.section = section;
        this.files = files;
        this.isLinking = isLinking;
        boolean isFiveZero = source.descriptor().version().isFiveZero();
        this.partitionLengths =
                new Histogram.Builder(isFiveZero ? Histogram.LENGTH_LIMITS : Histogram.OLD_LENGTH_LIMITS);
    }

    /**
     * A slice that was cut.
     *
     * @param sstable it, durable and visible
     * @param bytesAsTheyWere bytes of its Data.db that are copied as the source stores them
     */
    public record Slice(SSTable sstable, long bytesAsTheyWere) {}

    /**
     * A slice of which most bytes stay where they are: its Data.db consists of some bytes of {@code files}, some of the
     * source, and the rest of {@code files}. Immutable.
     *
     * @param files all components but that Data.db holds only what is new
     * @param headBytes how much of the new comes first
     * @param link file of the source
     * @param linkOffset first byte of the source's that belongs to the slice
     * @param linkBytes how many do
     * @param dataBytes length of the slice's Data.db
     */
    public record Outline(SSTable files, long headBytes, Path link, long linkOffset, long linkBytes, long dataBytes) {}

    /** Whether slices of {@code sstable} can be written: of BIG, not of BTI. */
    public static boolean canSlice(SSTable sstable) {
        return sstable.descriptor().version().format() == SSTableFormat.BIG;
    }

    /**
     * Cuts a slice.
     *
     * @param range does not wrap around
     * @param directory exists and holds no SSTable of that descriptor
     * @param descriptor of the source's version
     * @return empty if no partition lies in the range
     * @throws SSTableException if what is read of the source is damaged; then nothing is left behind
     */
    public static Optional<Slice> write(SSTable source, TokenRange range, Path directory, Descriptor descriptor)
            throws IOException {
        Optional<SliceWriter> begun = begin(source, range, directory, descriptor, false);
        if (begun.isEmpty()) {
            return Optional.empty();
        }
        try (SliceWriter writer = begun.get()) {
            SSTable slice = writer.write().sstable();
            return Optional.of(new Slice(slice, writer.bytesAsTheyWere));
        }
    }

    /**
     * Prepares a slice that can be read piece by piece, without copying the bytes that stay as they are. They are read
     * and checked, though; the source must not change while the outline is in use. What is made is not synced.
     *
     * @param range does not wrap around
     * @param directory exists and holds no SSTable of that descriptor; what is made there is no SSTable
     * @param descriptor of the source's version
     * @return empty if no partition lies in the range
     * @throws SSTableException if what is read of the source is damaged; then nothing is left behind
     */
    public static Optional<Outline> outline(SSTable source, TokenRange range, Path directory, Descriptor descriptor)
            throws IOException {
        Optional<SliceWriter> begun = begin(source, range, directory, descriptor, true);
        if (begun.isEmpty()) {
            return Optional.empty();
        }
        try (SliceWriter writer = begun.get()) {
            NewSSTable.Finished finished = writer.write();
            DataWriter.Written data = finished.data();
            return Optional.of(new Outline(
                    finished.sstable(),
                    data.linkedBytes() == 0 ? data.storedLengthBytes() : data.linkedAfterBytes(),
                    source.path(Component.DATA),
                    writer.linkOffset,
                    data.linkedBytes(),
                    data.storedLengthBytes()));
        }
    }

    private static Optional<SliceWriter> begin(
            SSTable source, TokenRange range, Path directory, Descriptor descriptor, boolean isLinking)
            throws IOException {
        if (!canSlice(source) || descriptor.version() != source.descriptor().version() || !isStretch(range)) {
            throw new IllegalArgumentException("slice " + descriptor + " of " + source + " in " + range
                    + " (expected: BIG of one version, a range that does not wrap around)");
        }
        List<Section> sections = source.sections(TokenRanges.of(range));
        if (sections.isEmpty()) {
            return Optional.empty();
        }
        Section section = sections.get(0); // there is one: a range is contiguous
        NewSSTable files = NewSSTable.create(directory, descriptor, WriterOptions.like(source), !isLinking);
        try {
            return Optional.of(new SliceWriter(source, range, section, files, isLinking));
        } catch (IOException | RuntimeException failed) {
            files.close();
            throw failed;
        }
    }

    private static boolean isStretch(TokenRange range) {
        return range.end().equals(Token.MINIMUM) || !range.wraps();
    }

    private NewSSTable.Finished write() throws IOException {
        if (source.isCompressed()) {
            writeCompressed();
        } else {
            copyPartitions(section.start());
            beginLink(section.start());
            bytesAsTheyWere = copyPlain(section.start(), section.end());
        }
        return files.finish(source.statistics().header(), this::stats);
    }

    private void writeCompressed() throws IOException {
        try (StoredChunks chunks =
                StoredChunks.open(source.path(Component.DATA), source.path(Component.COMPRESSION_INFO))) {
            int chunkLength = chunks.info().parameters().chunkLengthBytes();
            long firstChunk = section.start() / chunkLength;
            int gap = (int) (section.start() % chunkLength);
            if (gap == 0) {
                copyPartitions(section.start());
                copyChunks(chunks, firstChunk);
                return;
            }
            Optional<Filler> filler = Filler.of(
                    gap,
                    chunkLength,
                    firstEntry().key().token(),
                    range,
                    source.descriptor().version(),
                    header);
            if (filler.isEmpty()) {
                copyPartitions(section.start());
                copyPlain(section.start(), section.end());
                return;
            }
            Bytes bytes = filler.get().bytes();
            partitionLengths.add(bytes.length());
            files.addPartition(filler.get().key(), 0, Bytes.EMPTY);
            files.addData(bytes.asBuffer());
            copyPartitions(section.start() - bytes.length());
            copyPlain(section.start(), Math.min(section.end(), (firstChunk + 1) * chunkLength));
            copyChunks(chunks, firstChunk + 1);
        }
    }

    private IndexEntry firstEntry() throws IOException {
        try (BigCursor cursor = BigCursor.open(
                source.path(Component.INDEX), source.path(Component.SUMMARY), source.dataLengthBytes())) {
            cursor.seekAfter(range.start());
            return cursor.nextEntry().orElseThrow(this::changed);
        }
    }

    private SSTableException changed() {
        return new SSTableException(source + ": no partition at " + section.start()
                + " (expected: the files as they were when the slice was begun)");
    }

    /** Adds the entries of all partitions of the section, of which position {@code base} becomes 0. */
    private void copyPartitions(long base) throws IOException {
        IndexEntry first = firstEntry();
        if (first.position() != section.start()) {
            throw changed();
        }
        try (EntryCursor cursor = EntryCursor.open(source.path(Component.INDEX), first.indexPosition())) {
            boolean hasNext = cursor.next();
            while (hasNext && cursor.position() < section.end()) {
                long start = cursor.position();
                files.addPartition(cursor, start - base);
                hasNext = cursor.next();
                partitionLengths.add((hasNext ? cursor.position() : section.end()) - start);
            }
        }
    }

    /** Copies uncompressed bytes; returns how many. */
    private long copyPlain(long start, long end) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try (DataReader data = source.openData()) {
            for (long at = start; at < end; ) {
                long nextMultiple = at / BUFFER_BYTES * BUFFER_BYTES + BUFFER_BYTES; // whole chunks are read in place
                buffer.clear().limit((int) (Math.min(end, nextMultiple) - at));
                data.read(at, buffer);
                at += buffer.position();
                files.addData(buffer.flip());
            }
        }
        return end - start;
    }

    /**
     * Copies what the chunks from {@code first} on hold of the section: those that it ends in anew, as they hold bytes
     * of the neighbour too, the others as they are stored.
     */
    private void copyChunks(StoredChunks chunks, long first) throws IOException {
        long chunkLength = chunks.info().parameters().chunkLengthBytes();
        boolean isToEnd = section.end() == source.dataLengthBytes();
        long end = isToEnd ? chunks.info().chunkCount() : section.end() / chunkLength;
        if (first < end) {
            beginLink(chunks.position(first));
        }
        for (long index = first; index < end; index++) {
            ByteBuffer stored = chunks.read(index);
            bytesAsTheyWere += stored.remaining();
            files.addStored(stored, (int) Math.min(chunkLength, section.end() - index * chunkLength));
        }
        if (isLinking) {
            files.endLink();
        }
        copyPlain(Math.max(first, end) * chunkLength, section.end());
    }

    private void beginLink(long offset) {
        if (isLinking) {
            files.beginLink();
            linkOffset = offset;
        }
    }

    private Stats stats(double compressionRatio) {
        Stats whole = source.statistics().stats();
        double share = (double) section.lengthBytes() / source.dataLengthBytes();
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
                Placement.NEW,
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
        return new Stats.KeyCoverage(whole.hasPartitionDeletions(), files.firstKey(), files.lastKey(), Double.NaN);
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
