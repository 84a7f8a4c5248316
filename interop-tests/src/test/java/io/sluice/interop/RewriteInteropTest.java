package io.sluice.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.cassandra.schema.TableMetadata;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every table that Cassandra wrote, rewritten by us in every version and compression, is the same to Cassandra. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RewriteInteropTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");

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

    static Stream<Arguments> cases() throws IOException {
        return fixtures()
                .flatMap(fixture -> Stream.of(Version.NB, Version.OA, Version.DA)
                        .filter(version -> fits(fixture, version))
                        .flatMap(version -> Stream.of("none", "LZ4", "SNAPPY", "DEFLATE", "ZSTD")
                                .map(compression -> Arguments.of(fixture, version, compression))));
    }

    private static Stream<Path> fixtures() throws IOException {
        try (Stream<Path> fixtures = Files.list(FIXTURES)) {
            return fixtures
                    .flatMap(fixture -> Stream.of("nb", "oa", "da").map(fixture::resolve))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    /** Times beyond 2038 are only in the newer version, a deletion before 1970 only in the older. */
    private static boolean fits(Path fixture, Version version) {
        boolean isTtlMax = fixture.getParent().getFileName().toString().equals("ttl_max");
        return !isTtlMax || fixture.getFileName().toString().equals("nb") == (version == Version.NB);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void rewritten_tables_are_the_same_to_cassandra(Path fixture, Version version, String compression)
            throws Exception {
        TableMetadata table = cassandra.table(fixture.resolveSibling("schema.cql"));
        TableDirectory folder = TableDirectory.find(fixture).get(0);
        for (Descriptor descriptor : folder.descriptors()) {
            SSTable theirs = SSTable.open(folder.path(), descriptor);
            SSTable ours = rewrite(theirs, version, options(table, compression));

            assertThat(cassandra.verifyAndDump(ours.path(Component.DATA), table))
                    .isEqualTo(cassandra.verifyAndDump(theirs.path(Component.DATA), table));
        }
    }

    /** The table's own settings, but for the compression. */
    private static WriterOptions options(TableMetadata table, String compression) {
        WriterOptions options = WriterOptions.DEFAULTS
                .withFilterChance(table.params.bloomFilterFpChance)
                .withMinIndexInterval(table.params.minIndexInterval);
        return compression.equals("none")
                ? options.withoutCompression()
                : options.withCompression(CompressionParameters.of(Compressor.valueOf(compression), 4096));
    }

    private SSTable rewrite(SSTable source, Version version, WriterOptions options) throws IOException {
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(nextId++));
        try (PartitionReader reader = PartitionReader.open(source);
                SSTableWriter writer = SSTableWriter.create(target, descriptor, reader.header(), options)) {
            writer.appendAll(reader);
            return writer.finish();
        }
    }
}
