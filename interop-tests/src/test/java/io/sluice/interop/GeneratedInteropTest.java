package io.sluice.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.TableGenerator;
import io.sluice.sstable.json.Dump;
import io.sluice.sstable.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.cassandra.schema.TableMetadata;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables of random content, made by us: Cassandra accepts them, and sees in them what we see. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GeneratedInteropTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");
    /** Partition keys and paths of types that the tool does not show as JSON. */
    private static final Path KEYS = Path.of("src", "test", "resources", "keys.cql");

    private static final List<String> SCHEMAS = List.of(
            "kv",
            "netflix_lz4",
            "collections",
            "types",
            "statics",
            "multi_ck",
            "wide_lz4",
            "tombstones",
            "zstd",
            "ttl",
            "vector",
            "wide_columns",
            "snappy",
            "deflate",
            "keys");
    private static final int SEEDS = 5;

    @TempDir
    private static Path work = Path.of("");

    @TempDir
    private Path target = Path.of("");

    private Cassandra cassandra;

    @BeforeAll
    void start_cassandra() throws IOException {
        cassandra = Cassandra.start(work);
    }

    static Stream<Arguments> cases() {
        return SCHEMAS.stream()
                .flatMap(schema -> Stream.of(Version.NB, Version.OA, Version.DA)
                        .flatMap(version -> IntStream.rangeClosed(1, SEEDS)
                                .mapToObj(seed -> Arguments.of(schema, version, (long) seed))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void generated_tables_are_the_same_to_both(String schema, Version version, long seed) throws Exception {
        Path cql = schema.equals("keys") ? KEYS : FIXTURES.resolve(schema).resolve("schema.cql");
        TableMetadata table = cassandra.table(cql);
        WriterOptions options = WriterOptions.DEFAULTS
                .withFilterChance(table.params.bloomFilterFpChance)
                .withMinIndexInterval(table.params.minIndexInterval);
        TableSchema parsed = TableSchema.parse(Files.readString(cql));
        TableGenerator.Order order =
                new TableGenerator.Order(1, OptionalInt.of(150), OptionalInt.of(2), seed % 2 == 0, seed);

        List<Descriptor> made = new TableGenerator(parsed, version, options, bytes -> {}).write(target, order);

        assertThat(made).isNotEmpty();
        for (Descriptor descriptor : made) {
            SSTable ours = SSTable.open(target, descriptor);
            assertThat(Cassandra.json(dump(ours)))
                    .isEqualTo(Cassandra.json(cassandra.verifyAndDump(ours.path(Component.DATA), table)));
        }
    }

    private static String dump(SSTable sstable) throws IOException {
        StringBuilder out = new StringBuilder();
        try (PartitionReader reader = PartitionReader.open(sstable)) {
            new Dump(reader, sstable.descriptor().version(), Instant.now().getEpochSecond(), out).print();
        }
        return Cassandra.withoutPositions(out.toString());
    }
}
