package io.sluice.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.cassandra.schema.TableMetadata;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** To Cassandra a slice is what reading and writing the rows of its range gives. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SliceInteropTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");
    /** A partition without rows and deletion, which no fixture has; white space is gone. */
    private static final Pattern PADDING =
            Pattern.compile("\\{\"partition\":\\{\"key\":\\[\"[^\\]]*\"\\]\\},\"rows\":\\[\\]\\},?");

    private static final int CUTS = 3;
    private static final int SMALL_CHUNK_BYTES = 1 << 12;

    @TempDir
    private static Path work = Path.of("");

    @TempDir
    private Path target = Path.of("");

    private Cassandra cassandra;
    private int nextId = 1;

    @BeforeAll
    void start_cassandra() throws IOException {
        cassandra = Cassandra.start(work);
    }

    static Stream<Arguments> tables() throws IOException {
        try (Stream<Path> fixtures = Files.list(FIXTURES)) {
            return fixtures
                    .flatMap(fixture -> Stream.of("nb", "oa", "da").map(fixture::resolve))
                    .filter(Files::isDirectory)
                    .sorted()
                    .flatMap(fixture -> Stream.of("as it is", "LZ4").map(form -> Arguments.of(fixture, form)))
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void slices_are_what_rewriting_the_range_gives(Path fixture, String form) throws Exception {
        TableMetadata table = cassandra.table(fixture.resolveSibling("schema.cql"));
        TableDirectory folder = TableDirectory.find(fixture).get(0);
        for (Descriptor descriptor : folder.descriptors()) {
            SSTable theirs = SSTable.open(folder.path(), descriptor);
            SSTable source = form.equals("LZ4") ? rewrite(theirs, TokenRanges.FULL, true) : theirs;
            for (TokenRanges ranges : cuts(source, fixture.toString().hashCode())) {
                Optional<SliceWriter.Slice> slice = SliceWriter.write(source, ranges, target, next(source));
                if (slice.isEmpty()) {
                    assertThat(ContentDigest.of(List.of(source), ranges)).isEqualTo(ContentDigest.EMPTY);
                } else {
                    SSTable rows = rewrite(source, ranges, false);

                    assertThat(withoutPadding(cassandra.verifyAndDump(
                                    slice.get().sstable().path(Component.DATA), table)))
                            .isEqualTo(withoutSpace(cassandra.verifyAndDump(rows.path(Component.DATA), table)));
                }
            }
        }
    }

    /** The empty partitions before sections, where there are some, that keep the chunks of a slice in place. */
    private static String withoutPadding(String dump) {
        return PADDING.matcher(withoutSpace(dump)).replaceAll("");
    }

    /** No value of a fixture differs from another by space alone. */
    private static String withoutSpace(String dump) {
        return dump.replaceAll("\\s+", "");
    }

    private static List<TokenRanges> cuts(SSTable source, int seed) throws IOException {
        List<Long> tokens = new ArrayList<>();
        try (PartitionCursor cursor = source.partitions()) {
            for (Optional<PartitionEntry> entry = cursor.next(); entry.isPresent(); entry = cursor.next()) {
                tokens.add(entry.get().token().value());
            }
        }
        Random random = new Random(seed);
        List<TokenRanges> cuts = new ArrayList<>();
        for (int i = 0; i < CUTS; i++) {
            long a = tokens.get(random.nextInt(tokens.size()));
            long b = tokens.get(random.nextInt(tokens.size()));
            cuts.add(TokenRanges.of(
                    TokenRange.of(Math.max(Math.min(a, b), Long.MIN_VALUE + 1000) - 1000, Math.max(a, b))));
        }
        cuts.add(striped(random.nextLong() >>> 1));
        return cuts;
    }

    /** Thirty ranges, as many gaps between: each of them goes into one slice. */
    private static TokenRanges striped(long offset) {
        long width = 1L << 58;
        List<TokenRange> stripes = new ArrayList<>();
        for (int i = -30; i < 30; i += 2) {
            stripes.add(TokenRange.of(i * width + offset % width, (i + 1) * width + offset % width));
        }
        return TokenRanges.of(stripes);
    }

    private Descriptor next(SSTable source) {
        return new Descriptor(source.descriptor().version(), new SSTableId.Sequence(nextId++));
    }

    private SSTable rewrite(SSTable source, TokenRanges ranges, boolean toSmallChunks) throws IOException {
        WriterOptions options = WriterOptions.like(source);
        if (toSmallChunks) {
            options = options.withCompression(CompressionParameters.of(Compressor.LZ4, SMALL_CHUNK_BYTES));
        }
        try (PartitionReader reader = PartitionReader.open(source, ranges);
                SSTableWriter writer = SSTableWriter.create(target, next(source), reader.header(), options)) {
            writer.appendAll(reader);
            return writer.finish();
        }
    }
}
