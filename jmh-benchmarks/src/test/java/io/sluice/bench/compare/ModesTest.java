package io.sluice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.Duplex;
import io.sluice.bench.mutation.DirectReader;
import io.sluice.bench.mutation.DirectWriter;
import io.sluice.bench.mutation.Encoding;
import io.sluice.bench.mutation.MemtableReader;
import io.sluice.bench.mutation.MemtableWriter;
import io.sluice.bench.tablet.TabletReader;
import io.sluice.bench.tablet.TabletWriter;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.generate.RandomTable;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.transfer.Fixtures;
import io.sluice.streaming.transfer.partial.PartialReader;
import io.sluice.streaming.transfer.partial.PartialWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whichever way a part of a table travels, it arrives with the same content: 50 tables, 20 sets of ranges each. */
class ModesTest {
    private static final int TABLES = 50;
    /** One of each schema in each build; the others in the profile full. */
    private static final int FEW_TABLES = 5;

    private static final int RANGE_SETS = 20;
    private static final List<String> SCHEMAS = List.of(
            "(k text PRIMARY KEY, v text)",
            "(k text, c int, s text STATIC, t set<int> STATIC, v text, PRIMARY KEY (k, c))",
            "(a int, b text, c timeuuid, d text, v blob, PRIMARY KEY ((a, b), c, d))"
                    + " WITH CLUSTERING ORDER BY (c DESC, d ASC)",
            "(k blob, c frozen<list<int>>, l list<text>, m map<varint, double>, PRIMARY KEY (k, c))",
            "(k text, c bigint, hits counter, PRIMARY KEY (k, c))");

    private Path directory = Path.of(".");
    private int nextId = 1000;

    static Stream<Integer> seeds() {
        return IntStream.range(0, FEW_TABLES).boxed();
    }

    static Stream<Integer> moreSeeds() {
        return IntStream.range(FEW_TABLES, TABLES).boxed();
    }

    /** In memory where there is such a place: thousands of SSTables are synced. */
    @BeforeEach
    void makeDirectory() throws IOException {
        Path memory = Path.of("/dev/shm");
        directory = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "sluice-modes")
                : Files.createTempDirectory("sluice-modes");
    }

    @AfterEach
    void removeDirectory() throws IOException {
        clear();
        Files.delete(directory);
    }

    private void clear() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    private Descriptor name(Version version) {
        return new Descriptor(version, new SSTableId.Sequence(nextId++));
    }

    private List<SSTable> table(int seed, SplittableRandom random) throws IOException, SchemaException {
        SerializationHeader header = TableSchema.parse("CREATE TABLE ks.t " + SCHEMAS.get(seed % SCHEMAS.size()) + ";")
                .header(RandomTable.BASE);
        Version version = seed % 2 == 0 ? Version.NB : Version.OA;
        List<SSTable> sstables = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
            // Some keys are in several of them.
            var seeds = new RandomTable.Seeds(seed + (i == 1 ? 0 : i), 31L * seed + i);
            var shape = new RandomTable.Shape(5 + random.nextInt(60), 1 + random.nextInt(15), 0.15);
            try (PartitionSource content = RandomTable.of(header, shape, seeds, TokenRange.FULL);
                    SSTableWriter writer = SSTableWriter.create(directory, name(version), header, options(random))) {
                writer.appendAll(content);
                sstables.add(writer.finish());
            }
        }
        return sstables;
    }

    private static WriterOptions options(SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> WriterOptions.DEFAULTS;
            case 1 -> WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(Compressor.LZ4, 1 << 12));
            default -> WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(Compressor.SNAPPY, 1 << 10));
        };
    }

    private List<SSTable> slices(List<SSTable> sources, TokenRanges ranges) throws IOException {
        List<SSTable> arrived = new ArrayList<>();
        for (SSTable source : sources) {
            for (TokenRange range : ranges.ranges()) {
                SliceWriter.write(
                                source,
                                range,
                                directory,
                                name(source.descriptor().version()))
                        .ifPresent(slice -> arrived.add(slice.sstable()));
            }
        }
        return arrived;
    }

    private List<SSTable> joined(List<SSTable> sources, TokenRanges ranges) throws IOException {
        List<SSTable> arrived = new ArrayList<>();
        for (SSTable source : sources) {
            SliceWriter.write(
                            source, ranges, directory, name(source.descriptor().version()))
                    .ifPresent(slice -> arrived.add(slice.sstable()));
        }
        return arrived;
    }

    /** Of SSTables that lie in the tablet whole, as those of such a store do. */
    private List<SSTable> tablet(List<SSTable> sources) throws Exception {
        UUID session = UUID.randomUUID();
        try (Duplex duplex = new Duplex()) {
            duplex.send(() -> new TabletWriter(duplex.out(), duplex.answersIn(), 2).send(session, sources));
            List<SSTable> arrived =
                    new TabletReader(duplex.in(), duplex.answersOut(), session).receive(directory, this::name);
            duplex.sent();
            return arrived;
        }
    }

    private List<SSTable> parts(List<SSTable> sources, TokenRanges ranges) throws IOException {
        List<SSTable> arrived = new ArrayList<>();
        for (SSTable source : sources) {
            Optional<PartialWriter> writer = PartialWriter.of(source, ranges);
            if (writer.isPresent()) {
                var bytes = new ByteArrayOutputStream();
                writer.get().send(Channels.newChannel(bytes));
                var channel = Channels.newChannel(new ByteArrayInputStream(bytes.toByteArray()));
                new PartialReader(channel, ranges)
                        .receive(
                                new LocalFiles(),
                                directory,
                                name(source.descriptor().version()),
                                options -> options)
                        .ifPresent(arrived::add);
            }
        }
        return arrived;
    }

    private List<SSTable> direct(List<SSTable> sources, TokenRanges ranges, Encoding encoding) throws Exception {
        try (Duplex duplex = new Duplex()) {
            duplex.send(() -> new DirectWriter(duplex.answersIn(), duplex.out(), 4096).send(sources, ranges, encoding));
            Descriptor name = name(sources.get(0).descriptor().version());
            Optional<SSTable> arrived = new DirectReader(duplex.in(), duplex.answersOut(), ranges)
                    .receive(directory, name, WriterOptions.DEFAULTS);
            duplex.sent();
            return arrived.stream().toList();
        }
    }

    private List<SSTable> memtable(List<SSTable> sources, TokenRanges ranges, Encoding encoding) throws Exception {
        Version version = sources.get(0).descriptor().version();
        var target = new MemtableReader.Target(
                directory, () -> name(version), WriterOptions.DEFAULTS, 20_000, Runnable::run);
        try (Duplex duplex = new Duplex()) {
            duplex.send(() -> new MemtableWriter(duplex.answersIn(), duplex.out(), 8).send(sources, ranges, encoding));
            List<SSTable> arrived = new MemtableReader(duplex.in(), duplex.answersOut(), ranges, target).receive();
            duplex.sent();
            return arrived;
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void every_mode_gives_the_same_content(int seed) throws Exception {
        givesTheSameContent(seed);
    }

    @ParameterizedTest
    @MethodSource("moreSeeds")
    @Tag("full")
    void every_mode_gives_the_same_content_of_more_tables(int seed) throws Exception {
        givesTheSameContent(seed);
    }

    private void givesTheSameContent(int seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < RANGE_SETS; i++) {
            clear();
            List<SSTable> sources = table(seed, new SplittableRandom(seed));
            TokenRanges ranges = i == 0 ? TokenRanges.FULL : Fixtures.ranges(sources, random);
            ContentDigest expected = ContentDigest.of(sources, ranges);
            Encoding encoding = i % 2 == 0 ? Encoding.FIXED : Encoding.DELTA;

            assertThat(digest(slices(sources, ranges)))
                    .as("slices of %s", ranges)
                    .isEqualTo(expected);
            List<SSTable> joined = joined(sources, ranges);
            assertThat(digest(joined)).as("joined slices of %s", ranges).isEqualTo(expected);
            assertThat(digest(tablet(joined))).as("tablet of %s", ranges).isEqualTo(expected);
            assertThat(digest(parts(sources, ranges))).as("parts of %s", ranges).isEqualTo(expected);
            assertThat(digest(direct(sources, ranges, encoding)))
                    .as("direct, %s", ranges)
                    .isEqualTo(expected);
            assertThat(digest(memtable(sources, ranges, encoding)))
                    .as("memtable, %s", ranges)
                    .isEqualTo(expected);
        }
    }

    /** Of everything that arrived, whatever its tokens: nothing else may be there. */
    private static ContentDigest digest(List<SSTable> arrived) throws IOException {
        return ContentDigest.of(arrived, TokenRanges.FULL);
    }
}
