package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.compression.StoredChunks;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.BigCursor;
import io.sluice.sstable.index.IndexEntry;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.metadata.CommitLogCoverage;
import io.sluice.sstable.metadata.Histogram;
import io.sluice.sstable.metadata.Placement;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.token.PartitionKey;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
public final class SliceWriter {
    private static final int BUFFER_BYTES = 1 << 16;

    private final SSTable source;
    private final SerializationHeader header;
    private final TokenRange range;
    private final Section section;
    private final NewSSTable files;
    private final Histogram.Builder partitionLengths;
    private @Nullable PartitionKey firstKey;
    private @Nullable PartitionKey lastKey;
    private long bytesAsTheyWere;

    private SliceWriter(SSTable source, TokenRange range, Section section, NewSSTable files) throws IOException {
        this.source = source;
        this.header = SerializationHeader.parse(source.statistics().header());
        this.range = range;
        this.section = section;
        this.files = files;
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
        if (!canSlice(source) || descriptor.version() != source.descriptor().version() || !isStretch(range)) {
            throw new IllegalArgumentException("slice " + descriptor + " of " + source + " in " + range
                    + " (expected: BIG of one version, a range that does not wrap around)");
        }
        List<Section> sections = source.sections(TokenRanges.of(range));
        if (sections.isEmpty()) {
            return Optional.empty();
        }
        Section section = sections.get(0); // there is one: a range is contiguous
        try (NewSSTable files = NewSSTable.create(directory, descriptor, WriterOptions.like(source))) {
            SliceWriter writer = new SliceWriter(source, range, section, files);
            SSTable slice = writer.write();
            return Optional.of(new Slice(slice, writer.bytesAsTheyWere));
        }
    }

    private static boolean isStretch(TokenRange range) {
        return range.end().equals(Token.MINIMUM) || !range.wraps();
    }

    private SSTable write() throws IOException {
        if (source.isCompressed()) {
            writeCompressed();
        } else {
            copyPartitions(section.start());
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
                    firstKeyOfRange().token(),
                    range,
                    source.descriptor().version(),
                    header);
            if (filler.isEmpty()) {
                copyPartitions(section.start());
                copyPlain(section.start(), section.end());
                return;
            }
            Bytes bytes = filler.get().bytes();
            add(filler.get().key(), 0, bytes.length(), Bytes.EMPTY);
            files.addData(bytes.asBuffer());
            copyPartitions(section.start() - bytes.length());
            copyPlain(section.start(), Math.min(section.end(), (firstChunk + 1) * chunkLength));
            copyChunks(chunks, firstChunk + 1);
        }
    }

    private PartitionKey firstKeyOfRange() throws IOException {
        try (BigCursor cursor = openIndex()) {
            return cursor.nextEntry().orElseThrow(this::changed).key();
        }
    }

    private BigCursor openIndex() throws IOException {
        BigCursor cursor =
                BigCursor.open(source.path(Component.INDEX), source.path(Component.SUMMARY), source.dataLengthBytes());
        try {
            cursor.seekAfter(range.start());
            return cursor;
        } catch (IOException | RuntimeException failed) {
            cursor.close();
            throw failed;
        }
    }

    private SSTableException changed() {
        return new SSTableException(source + ": no partition at " + section.start()
                + " (expected: the files as they were when the slice was begun)");
    }

    /** Adds the entries of all partitions of the section, of which position {@code base} becomes 0. */
    private void copyPartitions(long base) throws IOException {
        try (BigCursor cursor = openIndex()) {
            Optional<IndexEntry> next = cursor.nextEntry();
            if (next.isEmpty() || next.get().position() != section.start()) {
                throw changed();
            }
            while (next.isPresent() && next.get().position() < section.end()) {
                IndexEntry entry = next.get();
                Bytes blocks = entry.blocksLengthBytes() == 0 ? Bytes.EMPTY : cursor.blocks(entry);
                next = cursor.nextEntry();
                long end =
                        Math.min(section.end(), next.map(IndexEntry::position).orElse(section.end()));
                add(entry.key(), entry.position() - base, end - entry.position(), blocks);
            }
        }
    }

    private void add(PartitionKey key, long position, long length, Bytes blocks) throws IOException {
        firstKey = firstKey == null ? key : firstKey;
        lastKey = key;
        partitionLengths.add(length);
        files.addPartition(key, position, blocks);
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
        for (long index = first; index < end; index++) {
            ByteBuffer stored = chunks.read(index);
            bytesAsTheyWere += stored.remaining();
            files.addStored(stored, (int) Math.min(chunkLength, section.end() - index * chunkLength));
        }
        copyPlain(Math.max(first, end) * chunkLength, section.end());
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
        if (firstKey == null || lastKey == null) {
            throw new AssertionError("a slice without partitions");
        }
        return new Stats.KeyCoverage(whole.hasPartitionDeletions(), firstKey.bytes(), lastKey.bytes(), Double.NaN);
    }
}
