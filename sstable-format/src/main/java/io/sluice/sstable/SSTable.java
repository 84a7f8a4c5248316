package io.sluice.sstable;

import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.compression.CompressionInfo;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.index.BigCursor;
import io.sluice.sstable.index.IndexReader;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.index.TrieCursor;
import io.sluice.sstable.index.TrieFooter;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.metadata.Toc;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * An SSTable on disk, as it was when it was opened. Keeps no file open; the caller must ensure that the files stay.
 * Immutable.
 */
public final class SSTable {
    private static final List<Component> REQUIRED_BIG = List.of(Component.DATA, Component.INDEX, Component.STATISTICS);
    private static final List<Component> REQUIRED_BTI =
            List.of(Component.DATA, Component.PARTITIONS, Component.ROWS, Component.STATISTICS);

    /** About as much of an index as lies between two samples of its summary. */
    private static final int FEW_PARTITIONS_WINDOW_BYTES = 1 << 13;

    private final Path directory;
    private final Descriptor descriptor;
    private final SortedMap<Component, Long> lengths;
    private final SortedMap<AttachedFile, Long> attached;
    private final SortedSet<String> indexes;
    private final SortedSet<String> incompleteIndexes;
    private final Statistics statistics;
    private final Optional<CompressionInfo> compression;
    private final PartitionKey firstKey;
    private final PartitionKey lastKey;
    private final Optional<LongConsumer> reached;

    private SSTable(Path directory, Descriptor descriptor) throws IOException {
        this.directory = directory;
        this.descriptor = descriptor;
        this.reached = Optional.empty();
        this.lengths = lengthsOf(directory, descriptor);
        Toc toc = lengths.containsKey(Component.TOC) ? Toc.read(path(Component.TOC)) : Toc.of(Set.of());
        this.attached = attachedTo(directory, descriptor, toc);
        this.indexes = toc.attached().stream()
                .flatMap(file -> file.index().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        this.incompleteIndexes = incompleteIndexes(toc, attached.keySet());
        requireComponents(toc);
        this.statistics = Statistics.read(path(Component.STATISTICS), descriptor.version());
        this.compression = components().contains(Component.COMPRESSION_INFO)
                ? Optional.of(CompressionInfo.read(path(Component.COMPRESSION_INFO)))
                : Optional.empty();
        IndexReader.Ends ends = findEnds();
        this.firstKey = ends.first();
        this.lastKey = ends.last();
        if (firstKey.compareTo(lastKey) > 0) {
            throw new SSTableException(
                    this + ": first key " + firstKey + ", last key " + lastKey + " (expected: ascending)");
        }
    }

    private SSTable(SSTable other, LongConsumer reached) {
        this.directory = other.directory;
        this.descriptor = other.descriptor;
        this.lengths = other.lengths;
        this.attached = other.attached;
        this.indexes = other.indexes;
        this.incompleteIndexes = other.incompleteIndexes;
        this.statistics = other.statistics;
        this.compression = other.compression;
        this.firstKey = other.firstKey;
        this.lastKey = other.lastKey;
        this.reached = Optional.of(reached);
    }

    /**
     * Opens an SSTable: reads its statistics and its first and last key. A BIG SSTable before {@code oa} without
     * Summary.db requires a pass over Index.db.
     *
     * @throws SSTableException if a required component is missing, or what was read is malformed
     */
    public static SSTable open(Path directory, Descriptor descriptor) throws IOException {
        return new SSTable(directory, descriptor);
    }

    /**
     * The same SSTable, for somebody who watches how far its content is read.
     *
     * @param position receives the uncompressed position behind each read of {@link #openData}, on the thread that
     *     reads; what it throws ends the read
     */
    public SSTable watchedBy(LongConsumer position) {
        return new SSTable(this, position);
    }

    /** The components without which an SSTable of this format cannot be read. */
    static List<Component> required(SSTableFormat format) {
        return switch (format) {
            case BIG -> REQUIRED_BIG;
            case BTI -> REQUIRED_BTI;
        };
    }

    private static SortedMap<Component, Long> lengthsOf(Path directory, Descriptor descriptor) throws IOException {
        Map<Component, Long> lengths = new EnumMap<>(Component.class);
        LocalFiles files = new LocalFiles();
        for (Component component : Component.of(descriptor.version().format())) {
            files.length(directory.resolve(descriptor.fileName(component)))
                    .ifPresent(length -> lengths.put(component, length));
        }
        return Collections.unmodifiableSortedMap(new TreeMap<>(lengths));
    }

    private static SortedMap<AttachedFile, Long> attachedTo(Path directory, Descriptor descriptor, Toc toc)
            throws IOException {
        SortedMap<AttachedFile, Long> lengths = new TreeMap<>();
        for (AttachedFile attached : toc.attached()) {
            Path file = directory.resolve(descriptor.fileName(attached));
            if (Files.isRegularFile(file)) {
                lengths.put(attached, Files.size(file));
            }
        }
        return lengths;
    }

    private static SortedSet<String> incompleteIndexes(Toc toc, Set<AttachedFile> there) {
        Set<AttachedFile> missing = new TreeSet<>(toc.attached());
        missing.removeAll(there);
        boolean isPartOfAllMissing = missing.stream().anyMatch(AttachedFile::isOfAllIndexes);
        return toc.attached().stream()
                .filter(file -> missing.contains(file) || (isPartOfAllMissing && file.isOfAttachedIndex()))
                .flatMap(file -> file.index().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void requireComponents(Toc toc) throws SSTableException {
        List<Component> needed = new ArrayList<>(required(descriptor.version().format()));
        if (toc.lists(Component.COMPRESSION_INFO)) {
            needed.add(Component.COMPRESSION_INFO); // otherwise compressed bytes would be decoded as rows
        }
        for (Component component : needed) {
            if (!lengths.containsKey(component)) {
                throw new SSTableException(this + ": no " + component.fileName() + " (expected: " + needed + ")");
            }
        }
    }

    /** Of the files with these keys only statistics have a checksum: otherwise two of them must have the same. */
    private IndexReader.Ends findEnds() throws IOException {
        Optional<Stats.KeyCoverage> keys = statistics.stats().content().keys();
        if (keys.isEmpty()) {
            return BigCursor.findEnds(path(Component.INDEX), path(Component.SUMMARY))
                    .orElseThrow(() -> new SSTableException(this + ": no partition (expected: at least one)"));
        }
        IndexReader.Ends ends = new IndexReader.Ends(
                PartitionKey.of(keys.get().firstKey()),
                PartitionKey.of(keys.get().lastKey()));
        if (descriptor.version().format() == SSTableFormat.BTI) {
            TrieFooter footer = TrieFooter.read(path(Component.PARTITIONS));
            if (!footer.firstKey().equals(ends.first()) || !footer.lastKey().equals(ends.last())) {
                throw new SSTableException(path(Component.PARTITIONS) + ": first key " + footer.firstKey()
                        + ", last key " + footer.lastKey() + " (expected: " + ends.first() + " and " + ends.last()
                        + ", as " + Component.STATISTICS.fileName() + " has them)");
            }
        }
        return ends;
    }

    public Descriptor descriptor() {
        return descriptor;
    }

    /** The folder that holds the components. */
    public Path directory() {
        return directory;
    }

    /** The components of its format that are on disk; other files are ignored. */
    public SortedSet<Component> components() {
        return Collections.unmodifiableSortedSet(new TreeSet<>(lengths.keySet()));
    }

    /**
     * The existing attached files in its TOC.txt, such as those of indexes, with their lengths in bytes. They are not
     * read, and not part of {@link #components()}.
     */
    public SortedMap<AttachedFile, Long> attached() {
        return Collections.unmodifiableSortedMap(attached);
    }

    /** The secondary indexes with attached files, according to its TOC.txt. */
    public SortedSet<String> indexes() {
        return Collections.unmodifiableSortedSet(indexes);
    }

    /** Those of {@link #indexes()} of which a file that TOC.txt lists is not there. */
    public SortedSet<String> incompleteIndexes() {
        return Collections.unmodifiableSortedSet(incompleteIndexes);
    }

    /** The path of an attached file. */
    public Path path(AttachedFile file) {
        return directory.resolve(descriptor.fileName(file));
    }

    /** The path of {@code component}, which need not exist. */
    public Path path(Component component) {
        return directory.resolve(descriptor.fileName(component));
    }

    /** Length of the file of {@code component}, which must be one of {@link #components()}. */
    public long lengthBytes(Component component) {
        Long length = lengths.get(component);
        if (length == null) {
            throw new IllegalArgumentException(
                    "component of " + this + ": " + component + " (expected: one of " + lengths.keySet() + ")");
        }
        return length;
    }

    /** The sum of the lengths of all components. */
    public long bytesOnDisk() {
        return lengths.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Length of the content of Data.db, uncompressed. */
    public long dataLengthBytes() {
        return compression.map(CompressionInfo::dataLengthBytes).orElseGet(() -> lengthBytes(Component.DATA));
    }

    public boolean isCompressed() {
        return compression.isPresent();
    }

    /** How Data.db is compressed, or empty if it is not. */
    public Optional<CompressionInfo> compression() {
        return compression;
    }

    public Statistics statistics() {
        return statistics;
    }

    /**
     * Why other nodes must not receive its bytes, but only its rows, decoded as {@code ForeignRows}; empty if they may.
     */
    public Optional<String> onlyRows() {
        return statistics.stats().content().hasLegacyCounterShards()
                ? Optional.of("it has counter shards from before Cassandra 2.1, which are valid on this node only")
                : Optional.empty();
    }

    public PartitionKey firstKey() {
        return firstKey;
    }

    public PartitionKey lastKey() {
        return lastKey;
    }

    public Token firstToken() {
        return firstKey.token();
    }

    public Token lastToken() {
        return lastKey.token();
    }

    /** Opens the content of Data.db, checked against the available checksums; the caller closes it. */
    public DataReader openData() throws IOException {
        DataReader data = openUnwatched();
        return reached.map(watcher -> DataReader.watched(data, watcher)).orElse(data);
    }

    private DataReader openUnwatched() throws IOException {
        Path data = path(Component.DATA);
        if (isCompressed()) {
            return DataReader.compressed(data, path(Component.COMPRESSION_INFO));
        }
        return lengths.containsKey(Component.CRC)
                ? DataReader.checked(data, path(Component.CRC))
                : DataReader.plain(data);
    }

    /** A cursor over all partitions in the index; the caller closes it. For BTI it reads the keys in Data.db. */
    public PartitionCursor partitions() throws IOException {
        return switch (descriptor.version().format()) {
            case BIG -> BigCursor.open(path(Component.INDEX), path(Component.SUMMARY), dataLengthBytes());
            case BTI -> TrieCursor.takeOver(path(Component.PARTITIONS), path(Component.ROWS), openData());
        };
    }

    /** The same, for one who looks at a few of them: it reads no more of a BIG index at a time than they take. */
    public PartitionCursor fewPartitions() throws IOException {
        return switch (descriptor.version().format()) {
            case BIG ->
                BigCursor.open(
                        path(Component.INDEX), path(Component.SUMMARY), dataLengthBytes(), FEW_PARTITIONS_WINDOW_BYTES);
            case BTI -> partitions();
        };
    }

    /**
     * The sections of the partitions in {@code ranges}: ascending, not adjacent, empty if there is no such partition.
     * Looks up the ends of each range in the index; for BIG it does not read Data.db.
     */
    public List<Section> sections(TokenRanges ranges) throws IOException {
        try (SectionFinder finder = finder()) {
            return finder.sections(ranges);
        }
    }

    /**
     * The sections of the partitions in {@code ranges}, each with the range of its first partition.
     *
     * @throws SSTableException if its index is malformed, or there is no data
     */
    public List<RangeSection> rangeSections(TokenRanges ranges) throws IOException {
        try (SectionFinder finder = finder()) {
            return finder.rangeSections(ranges);
        }
    }

    /** For one who asks for the sections of many ranges; the caller closes it. */
    public SectionFinder finder() {
        return new SectionFinder(this);
    }

    /**
     * Which of its partitions are in {@code ranges}; reads the index only if the first and last token are not
     * sufficient.
     */
    public Coverage coverage(TokenRanges ranges) throws IOException {
        if (!ranges.intersects(firstToken(), lastToken())) {
            return Coverage.NONE;
        }
        for (TokenRange range : ranges.ranges()) {
            if (TokenRanges.of(range).contains(firstToken())
                    && TokenRanges.of(range).contains(lastToken())) {
                return Coverage.WHOLE;
            }
        }
        List<Section> sections = sections(ranges);
        if (sections.isEmpty()) {
            return Coverage.NONE;
        }
        return sections.equals(List.of(new Section(0, dataLengthBytes()))) ? Coverage.WHOLE : Coverage.PART;
    }

    /** Folder and name: {@code /data/ks/users-…/nb-1-big}. */
    @Override
    public String toString() {
        return directory.resolve(descriptor.toString()).toString();
    }
}
