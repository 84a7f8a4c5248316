package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.Coverage;
import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.metadata.CompactionState;
import io.sluice.sstable.metadata.DropTimes;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Slices of fixtures and of generated tables. Long because cuts, padding and failures share these tables. */
class SliceWriterTest {
    private static final int CUTS = 8;
    /** In each build. */
    private static final int FEW_CUTS = 3;

    private static final int PARTITIONS = 2000;
    private static final int ROWS = 5;
    /** Nineteen twentieths of a ring. */
    private static final TokenRanges MOST = TokenRanges.of(TokenRange.of(Long.MIN_VALUE / 10 * 9, Long.MAX_VALUE));

    @TempDir
    Path directory;

    private int nextId = 100;

    static Stream<Fixture> fixtures() {
        Stream<Fixture> old =
                Fixture.old().filter(fixture -> fixture.table().name().equals("wide"));
        return Stream.concat(Fixture.all(), old);
    }

    private Optional<SliceWriter.Slice> slice(SSTable source, TokenRange range) throws IOException {
        Descriptor descriptor = new Descriptor(source.descriptor().version(), new SSTableId.Sequence(nextId++));
        return SliceWriter.write(source, range, directory, descriptor);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#samples")
    void keeps_level_and_repair_state(Fixture fixture, @TempDir Path folder) throws IOException {
        CompactionState repaired = new CompactionState(
                3, 1_700_000_000_000L, Optional.of(new UUID(1, 2)), true, Optional.of(new UUID(3, 4)));
        SSTable source = fixture.copyTo(folder);
        Statistics statistics = source.statistics();
        Files.delete(source.path(Component.STATISTICS));
        statistics.withStats(statistics.stats().withPlacement(repaired)).write(source.path(Component.STATISTICS));
        SSTable placed = SSTable.open(folder, source.descriptor());
        TokenRange untilMiddle = new TokenRange(Token.MINIMUM, placed.firstToken());

        SSTable slice = slice(placed, untilMiddle).orElseThrow().sstable();

        assertThat(slice.statistics().stats().placement()).isEqualTo(repaired.ofNoHost());
        assertThat(WriterOptions.like(placed).placement()).isEqualTo(repaired.ofNoHost());
    }

    /** The index is made by another thread while this one reads the data. */
    private static final SliceWriter.Effort BY_TWO =
            new SliceWriter.Effort(task -> new Thread(task, "index of a slice").start(), position -> {});

    @Test
    void a_slice_by_two_threads_ends_on_both_before_it_fails() throws IOException {
        SSTable source = generate(Version.NB, compressed(Compressor.LZ4, 1 << 12));
        Path folder = Files.createDirectory(directory.resolve("outline"));
        List<Thread> threads = new CopyOnWriteArrayList<>();
        AtomicInteger steps = new AtomicInteger();
        SliceWriter.Effort ending = new SliceWriter.Effort(
                task -> {
                    Thread thread = new Thread(task, "index of a slice");
                    threads.add(thread);
                    thread.start();
                },
                position -> {
                    if (steps.incrementAndGet() > 2) {
                        throw new IllegalStateException("nobody waits any more");
                    }
                });

        assertThatThrownBy(() -> SliceWriter.sliceRegions(
                        new LocalFiles(), source, source.rangeSections(MOST), folder, source.descriptor(), ending))
                .hasMessage("nobody waits any more");

        assertThat(threads).hasSize(1).allSatisfy(thread -> {
            thread.join(10_000);
            assertThat(thread.isAlive()).isFalse();
        });
        assertThat(folder).isEmptyDirectory();
    }

    /** What the components of an outline consist of, by name. */
    private Map<Component, Bytes> outlined(SSTable source, TokenRanges ranges) throws IOException {
        Path folder = Files.createTempDirectory(directory, "outline");
        SliceWriter.SliceRegions outline = SliceWriter.sliceRegions(
                new LocalFiles(), source, source.rangeSections(ranges), folder, source.descriptor(), BY_TWO);
        byte[] data = new byte[(int) outline.dataBytes()];
        int at = 0;
        for (SliceWriter.SliceRegions.FileRegion piece : outline.data()) {
            byte[] file = Files.readAllBytes(piece.file());
            System.arraycopy(file, (int) piece.offset(), data, at, (int) piece.lengthBytes());
            at += (int) piece.lengthBytes();
        }
        assertThat(at).isEqualTo(data.length);
        Map<Component, Bytes> contents = bytesOf(outline.files());
        contents.put(Component.DATA, Bytes.wrap(data));
        return contents;
    }

    private static Map<Component, Bytes> bytesOf(SSTable sstable) throws IOException {
        Map<Component, Bytes> contents = new EnumMap<>(Component.class);
        for (Component component : sstable.components()) {
            contents.put(component, Bytes.wrap(Files.readAllBytes(sstable.path(component))));
        }
        return contents;
    }

    private static List<PartitionEntry> partitions(SSTable sstable) throws IOException {
        List<PartitionEntry> entries = new ArrayList<>();
        try (PartitionCursor cursor = sstable.partitions()) {
            for (Optional<PartitionEntry> entry = cursor.next(); entry.isPresent(); entry = cursor.next()) {
                entries.add(entry.get());
            }
        }
        return entries;
    }

    private static ContentDigest digest(SSTable sstable, TokenRange range) throws IOException {
        return ContentDigest.of(List.of(sstable), TokenRanges.of(range));
    }

    private static void assertSound(SSTable slice, SSTable source, TokenRange range) throws IOException {
        assertSound(slice, source, TokenRanges.of(range));
    }

    private static void assertSound(SSTable slice, SSTable source, TokenRanges ranges) throws IOException {
        assertThat(Verification.verify(slice).problems()).isEmpty();
        assertThat(digest(slice, TokenRange.FULL)).isEqualTo(ContentDigest.of(List.of(source), ranges));
        assertThat(slice.coverage(ranges)).isEqualTo(Coverage.WHOLE);
    }

    private static TokenRanges randomRanges(List<PartitionEntry> partitions, int count, Random random) {
        return TokenRanges.of(Stream.generate(() -> randomRange(partitions, random))
                .map(range -> narrower(range, count))
                .limit(count)
                .toList());
    }

    private static TokenRange narrower(TokenRange range, int share) {
        long start = range.start().value();
        long length = range.end().value() - start; // of ranges over half of the ring: negative, and then left alone
        return length <= share ? range : TokenRange.of(start, start + length / share);
    }

    private Optional<SSTable> joined(SSTable source, TokenRanges ranges) throws IOException {
        Descriptor descriptor = new Descriptor(source.descriptor().version(), new SSTableId.Sequence(nextId++));
        return SliceWriter.write(source, ranges, directory, descriptor).map(SliceWriter.Slice::sstable);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#samples")
    void several_ranges_become_one_slice(Fixture fixture) throws IOException {
        severalRanges(fixture, FEW_CUTS);
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    @Tag("full")
    void several_ranges_become_one_slice_wherever_it_is_cut(Fixture fixture) throws IOException {
        severalRanges(fixture, CUTS);
    }

    private void severalRanges(Fixture fixture, int cuts) throws IOException {
        SSTable source = fixture.open();
        List<PartitionEntry> partitions = partitions(source);
        Random random = new Random(fixture.toString().hashCode() + 1);

        for (int i = 0; i < cuts; i++) {
            TokenRanges ranges = randomRanges(partitions, 2 + random.nextInt(9), random);
            Optional<SSTable> slice = joined(source, ranges);

            if (slice.isPresent()) {
                assertSound(slice.get(), source, ranges);
                assertThat(outlined(source, ranges)).isEqualTo(bytesOf(slice.get()));
            } else {
                assertThat(ContentDigest.of(List.of(source), ranges)).isEqualTo(ContentDigest.EMPTY);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("generated")
    void ranges_of_many_partitions_become_one_slice(Version version, WriterOptions options) throws IOException {
        SSTable source = generate(version, options);
        List<PartitionEntry> partitions = partitions(source);
        Random random = new Random(6);

        for (int count : List.of(2, 5, 40, 256)) {
            TokenRanges ranges = randomRanges(partitions, count, random);
            SSTable slice = joined(source, ranges).orElseThrow();

            assertSound(slice, source, ranges);
            assertThat(outlined(source, ranges)).isEqualTo(bytesOf(slice));
        }
    }

    /** Ends before, at, between and after the tokens of the table. */
    private static TokenRange randomRange(List<PartitionEntry> partitions, Random random) {
        long a = randomEnd(partitions, random);
        long b = randomEnd(partitions, random);
        return a == b ? TokenRange.of(Long.MIN_VALUE, a) : TokenRange.of(Math.min(a, b), Math.max(a, b));
    }

    private static long randomEnd(List<PartitionEntry> partitions, Random random) {
        long token = partitions.get(random.nextInt(partitions.size())).token().value();
        return switch (random.nextInt(4)) {
            case 0 -> token;
            case 1 -> Math.max(token, Long.MIN_VALUE + 2) - 1;
            case 2 -> random.nextLong();
            default -> Math.max(token, Long.MIN_VALUE + 1_000_001) - 1_000_000;
        };
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#samples")
    void slices_hold_what_the_source_holds_in_the_range(Fixture fixture) throws IOException {
        slicesHold(fixture, FEW_CUTS);
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    @Tag("full")
    void slices_hold_what_the_source_holds_in_the_range_wherever_it_is_cut(Fixture fixture) throws IOException {
        slicesHold(fixture, CUTS);
    }

    private void slicesHold(Fixture fixture, int cuts) throws IOException {
        SSTable source = fixture.open();
        List<PartitionEntry> partitions = partitions(source);
        Random random = new Random(fixture.toString().hashCode());

        for (int i = 0; i < cuts; i++) {
            TokenRange range = randomRange(partitions, random);
            Optional<SliceWriter.Slice> slice = slice(source, range);

            if (slice.isPresent()) {
                assertSound(slice.get().sstable(), source, range);
                assertThat(outlined(source, TokenRanges.of(range)))
                        .isEqualTo(bytesOf(slice.get().sstable()));
            } else {
                assertThat(digest(source, range)).isEqualTo(ContentDigest.EMPTY);
            }
        }
    }

    static Stream<Arguments> generated() {
        return Stream.of(Version.NB, Version.OA, Version.DA)
                .flatMap(version -> Stream.of(
                        Arguments.of(version, WriterOptions.DEFAULTS),
                        Arguments.of(version, compressed(Compressor.LZ4, 1 << 14)),
                        Arguments.of(version, compressed(Compressor.LZ4, 1 << 12)),
                        Arguments.of(version, compressed(Compressor.ZSTD, 1 << 16)),
                        Arguments.of(version, compressed(Compressor.NOOP, 1 << 10)),
                        Arguments.of(version, incompressible())));
    }

    private static WriterOptions compressed(Compressor compressor, int chunkLength) {
        return WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(compressor, chunkLength));
    }

    /** Some chunks are stored plain. */
    private static WriterOptions incompressible() {
        return WriterOptions.DEFAULTS.withCompression(
                new CompressionParameters(Compressor.LZ4, Map.of(), 1 << 12, 1 << 11));
    }

    private SSTable generate(Version version, WriterOptions options) throws IOException {
        return generate(version, options, Scalar.TEXT);
    }

    private SSTable generate(Version version, WriterOptions options, CqlType keyType) throws IOException {
        Path folder = Files.createDirectories(directory.resolve("ks").resolve("t-00000000000000000000000000000001"));
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(1));
        Column value = Column.of("value", Scalar.TEXT);
        SerializationHeader header = new SerializationHeader(
                SerializationHeader.Base.EPOCH, keyType, List.of(Scalar.INT), List.of(), List.of(value));
        Random random = new Random(3);
        List<PartitionKey> keys = Stream.generate(() -> PartitionKey.of(keyOf(keyType, random)))
                .limit(PARTITIONS)
                .sorted()
                .toList();
        try (SSTableWriter writer = SSTableWriter.create(folder, descriptor, header, options)) {
            for (int i = 0; i < PARTITIONS; i++) {
                writer.start(PartitionHeader.of(keys.get(i)));
                for (int row = 0; row < ROWS; row++) {
                    // Some chunks of random words, some of a few words again and again.
                    String text = i / 100 % 2 == 0 ? word(random) + word(random) : "weir lock basin gate sluice canal ";
                    List<ColumnData> cells = List.of(Cell.of(value, row, Bytes.utf8(text)));
                    writer.add(Row.inserted(ClusteringPrefix.row(Bytes.ofInt(row)), row, cells));
                }
                writer.end();
            }
            return writer.finish();
        }
    }

    private static String word(Random random) {
        return HexFormat.of().toHexDigits(random.nextLong());
    }

    @ParameterizedTest
    @MethodSource("generated")
    void most_chunks_stay_as_they_are(Version version, WriterOptions options) throws IOException {
        mostChunksStay(version, options, 2 * FEW_CUTS);
    }

    @ParameterizedTest
    @MethodSource("generated")
    @Tag("full")
    void most_chunks_stay_as_they_are_wherever_it_is_cut(Version version, WriterOptions options) throws IOException {
        mostChunksStay(version, options, 3 * CUTS);
    }

    private void mostChunksStay(Version version, WriterOptions options, int cuts) throws IOException {
        SSTable source = generate(version, options);
        List<PartitionEntry> partitions = partitions(source);
        Random random = new Random(5);

        for (int i = 0; i < cuts; i++) {
            TokenRange range = randomRange(partitions, random);
            Optional<SliceWriter.Slice> cut = slice(source, range);
            if (cut.isEmpty()) {
                continue;
            }
            SSTable slice = cut.get().sstable();
            assertSound(slice, source, range);
            assertThat(outlined(source, TokenRanges.of(range))).isEqualTo(bytesOf(slice));
            long rewritten = slice.lengthBytes(Component.DATA) - cut.get().bytesAsTheyWere();
            long rewrittenAtMost = options.compression()
                    .map(parameters -> 4L * parameters.chunkLengthBytes() + 4096)
                    .orElse(0L);
            Token first = partitions.stream()
                    .map(PartitionEntry::token)
                    .filter(range::contains)
                    .findFirst()
                    .orElseThrow();
            double tries = 0x1p64 / ((double) first.value() - range.start().value());
            if (tries < slice.dataLengthBytes() / 64.0) { // a padding partition is there, and worth looking for
                assertThat(rewritten).isLessThanOrEqualTo(rewrittenAtMost);
            }
        }
    }

    @Test
    void compresses_again_where_no_token_is_left_for_padding() throws IOException {
        SSTable source = generate(Version.NB, compressed(Compressor.LZ4, 1 << 14), Scalar.UUID);
        PartitionEntry middle = partitions(source).get(1001);
        TokenRange range = new TokenRange(new Token(middle.token().value() - 1), Token.MINIMUM);

        SliceWriter.Slice slice = slice(source, range).orElseThrow();

        assertThat(slice.bytesAsTheyWere()).isZero();
        assertThat(slice.sstable().firstKey()).isEqualTo(middle.key());
        assertSound(slice.sstable(), source, range);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void puts_padding_that_must_be_searched_where_the_first_chunk_leaves_most_tokens(Version version)
            throws IOException {
        SSTable source = generate(version, compressed(Compressor.LZ4, 1 << 14));
        List<PartitionEntry> partitions = partitions(source);
        long chunk = partitions.get(1001).position() >> 14;
        List<PartitionEntry> inFirstChunk = partitions.stream()
                .filter(entry -> entry.position() >> 14 == chunk)
                .toList();
        PartitionEntry first = inFirstChunk.get(0);
        TokenRange range = new TokenRange(new Token(first.token().value() - 1), Token.MINIMUM);

        SliceWriter.Slice slice = slice(source, range).orElseThrow();

        assertThat(slice.bytesAsTheyWere()).isPositive();
        assertSound(slice.sstable(), source, range);
        List<PartitionEntry> cut = partitions(slice.sstable());
        int at = IntStream.range(0, cut.size())
                .filter(i -> cut.get(i).key().bytes().utf8().startsWith("no row is here"))
                .findFirst()
                .orElseThrow();
        assertThat(cut).hasSize(partitions.size() - partitions.indexOf(first) + 1);
        assertThat(at).isBetween(1, inFirstChunk.size() - 1);
        double widest = 0;
        for (int i = 1; i < inFirstChunk.size(); i++) {
            widest = Math.max(widest, distance(inFirstChunk.get(i - 1), inFirstChunk.get(i)));
        }
        assertThat(distance(cut.get(at - 1), cut.get(at + 1))).isEqualTo(widest);
    }

    private static double distance(PartitionEntry one, PartitionEntry next) {
        return (double) next.token().value() - one.token().value();
    }

    static Stream<Version> versions() {
        return Stream.of(Version.NB, Version.OA, Version.DA);
    }

    @Test
    void keeps_padding_within_the_range_where_later_ranges_are_joined() throws IOException {
        SSTable source = generate(Version.NB, compressed(Compressor.LZ4, 1 << 14));
        List<PartitionEntry> partitions = partitions(source);
        int widest = IntStream.range(1, PARTITIONS - 200)
                .boxed()
                .max(Comparator.comparing(i -> distance(partitions.get(i), partitions.get(i + 1))))
                .orElseThrow();
        TokenRanges ranges = TokenRanges.of(
                new TokenRange(
                        partitions.get(widest - 1).token(),
                        partitions.get(widest).token()),
                TokenRange.of(partitions.get(widest + 1).token().value() - 1, Long.MAX_VALUE));

        SSTable slice = joined(source, ranges).orElseThrow();

        assertSound(slice, source, ranges);
        assertThat(partitions(slice))
                .allSatisfy(entry -> assertThat(ranges.contains(entry.token())).isTrue());
    }

    @Test
    void readers_see_nothing_of_padding() throws IOException {
        SSTable source = generate(Version.OA, compressed(Compressor.LZ4, 1 << 14));
        Token before = partitions(source).get(1000).token();
        TokenRange range = new TokenRange(before, Token.MINIMUM);

        SSTable slice = slice(source, range).orElseThrow().sstable();

        assertThat(partitions(slice))
                .hasSize(1000)
                .anySatisfy(entry -> assertThat(entry.key().bytes().utf8()).startsWith("no row is here"));
        assertThat(digest(slice, TokenRange.FULL).partitions()).isEqualTo(999);
    }

    static Stream<Arguments> keyTypes() {
        Stream<CqlType> types = Stream.of(
                Scalar.UUID,
                Scalar.TIMEUUID,
                Scalar.BIGINT,
                Scalar.INT,
                Scalar.TIMESTAMP,
                Scalar.BLOB,
                new CqlType.Composite(List.of(Scalar.UUID, Scalar.INT)),
                new CqlType.Composite(List.of(Scalar.SMALLINT, Scalar.TEXT)));
        return types.flatMap(type -> Stream.of(Arguments.of(Version.NB, type), Arguments.of(Version.DA, type)));
    }

    private static Bytes keyOf(CqlType type, Random random) {
        if (type instanceof CqlType.Composite composite) {
            var key = new GrowingBuffer();
            composite
                    .parts()
                    .forEach(part -> key.putShortBytes(keyOf(part, random)).putByte(0));
            return key.toBytes();
        }
        byte[] key = new byte[type == Scalar.SMALLINT ? 2 : type.fixedLength().orElse(16)];
        random.nextBytes(key);
        return type == Scalar.TEXT ? Bytes.utf8(word(random)) : Bytes.wrap(key);
    }

    @ParameterizedTest
    @MethodSource("keyTypes")
    void chunks_stay_as_they_are_whatever_keys_are(Version version, CqlType keyType) throws IOException {
        SSTable source = generate(version, compressed(Compressor.LZ4, 1 << 12), keyType);
        List<PartitionEntry> partitions = partitions(source);

        for (int first : List.of(1, 333, 1200)) {
            Token before = partitions.get(first - 1).token();
            TokenRange range =
                    new TokenRange(before, partitions.get(first + 700).token());
            SliceWriter.Slice slice = slice(source, range).orElseThrow();

            assertSound(slice.sstable(), source, range);
            assertThat(slice.sstable().lengthBytes(Component.DATA) - slice.bytesAsTheyWere())
                    .as("bytes that were compressed again")
                    .isLessThan(4 << 12);
        }
    }

    private void outline(SSTable source, Path folder, Runnable progress) throws IOException {
        SliceWriter.sliceRegions(
                new LocalFiles(),
                source,
                source.rangeSections(MOST),
                folder,
                source.descriptor(),
                new SliceWriter.Effort(Runnable::run, position -> progress.run()));
    }

    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of(Version.NB, compressed(Compressor.LZ4, 1 << 12)),
                Arguments.of(Version.DA, compressed(Compressor.LZ4, 1 << 12)),
                Arguments.of(Version.NB, WriterOptions.DEFAULTS.withoutCompression()));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void an_outline_tells_of_the_index_and_of_each_piece_of_the_data_that_it_has_read(
            Version version, WriterOptions options) throws IOException {
        SSTable source = generate(version, options);
        Section section = source.rangeSections(MOST).get(0).section();
        int pieceLength = source.isCompressed() ? 1 << 12 : 1 << 16;
        int pieces = (int) ((section.end() - 1) / pieceLength - section.start() / pieceLength + 1);
        int indexSteps = PARTITIONS * 9 / 10 / 1_000;
        AtomicInteger steps = new AtomicInteger();

        outline(source, Files.createDirectory(directory.resolve("outline")), steps::incrementAndGet);

        assertThat(steps.get()).isBetween(indexSteps + pieces, indexSteps + pieces + (source.isCompressed() ? 3 : 0));
        int last = steps.get();
        for (int end : List.of(1, last / 2, last)) {
            AtomicInteger toGo = new AtomicInteger(end);
            Path folder = Files.createDirectory(directory.resolve("ended-" + end));
            assertThatThrownBy(() -> outline(source, folder, () -> {
                        if (toGo.decrementAndGet() == 0) {
                            throw new IllegalStateException("nobody waits any more");
                        }
                    }))
                    .hasMessage("nobody waits any more");
            assertThat(folder).isEmptyDirectory();
        }
    }

    /** Of which one that is narrow would be compacted for tombstones that it does not have. */
    @Test
    void a_slice_has_its_share_of_the_times_from_which_tombstones_may_be_dropped() throws IOException {
        SSTable source = generate(Version.NB, WriterOptions.DEFAULTS);
        Stats stats = source.statistics().stats();
        Stats.Distributions known = stats.distributions();
        DropTimes dropTimes = new DropTimes(
                100, List.of(new DropTimes.Bin(1_700_000_000, 1_000), new DropTimes.Bin(1_800_000_000, 1)));
        Stats withTombstones = new Stats(
                new Stats.Distributions(known.partitionLengths(), known.cells(), dropTimes, known.compressionRatio()),
                stats.commitLog(),
                stats.times(),
                stats.placement(),
                stats.content());
        Files.delete(source.path(Component.STATISTICS));
        source.statistics().withStats(withTombstones).write(source.path(Component.STATISTICS));
        SSTable changed =
                SSTable.open(Objects.requireNonNull(source.path(Component.DATA).getParent()), source.descriptor());
        TokenRange tenth = TokenRange.of(0, Long.MAX_VALUE / 5);

        SSTable slice = slice(changed, tenth).orElseThrow().sstable();

        List<DropTimes.Bin> bins =
                slice.statistics().stats().distributions().dropTimes().bins();
        assertThat(bins).extracting(DropTimes.Bin::second).containsExactly(1_700_000_000.0, 1_800_000_000.0);
        assertThat(bins.get(0).count()).isBetween(60L, 140L);
        assertThat(bins.get(1).count()).isEqualTo(1);
    }

    @Test
    void refuses_a_damaged_chunk_and_leaves_nothing() throws IOException {
        SSTable source = generate(Version.NB, compressed(Compressor.LZ4, 1 << 12));
        Path data = source.path(Component.DATA);
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);

        assertThatThrownBy(() -> slice(source, TokenRange.of(Long.MIN_VALUE, Long.MAX_VALUE)))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("nb-1-big-Data.db at offset")
                .hasMessageContaining("CRC-32");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    /** As if the files had changed since the section was looked up. */
    @ParameterizedTest
    @MethodSource("kinds")
    void refuses_a_section_that_begins_at_no_partition_and_leaves_nothing(Version version, WriterOptions options)
            throws IOException {
        SSTable source = generate(version, options);
        RangeSection found = source.rangeSections(MOST).get(0);
        long start = found.section().start() + 1;
        RangeSection moved = new RangeSection(
                found.range(), new Section(start, found.section().end()));
        Path folder = Files.createDirectory(directory.resolve("outline"));
        SliceWriter.Effort effort = new SliceWriter.Effort(Runnable::run, position -> {});

        assertThatThrownBy(() -> SliceWriter.sliceRegions(
                        new LocalFiles(), source, List.of(moved), folder, source.descriptor(), effort))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("no partition at " + start);
        assertThat(folder).isEmptyDirectory();
    }
}
