package io.sluice.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.sluice.harness.store.LocalStore;
import io.sluice.harness.store.MajorCompaction;
import io.sluice.harness.store.StoreOptions;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.json.Dump;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Cassandra accepts slices and compactions of SSTables of 3.x and 4.0-beta1, with the rows that we see in the
 * originals.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OldVersionsInteropTest {
    private static final Path OLD = Path.of("..", "sstable-format", "src", "test", "resources", "old");
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));
    private static final TokenRanges STRIPES = TokenRanges.of(IntStream.range(-8, 8)
            .mapToObj(i -> TokenRange.of(i * (1L << 60), i * (1L << 60) + (1L << 59)))
            .toList());

    @TempDir
    private static Path work = Path.of("");

    @TempDir
    private Path target = Path.of("");

    private Cassandra cassandra;

    @BeforeAll
    void start_cassandra() throws IOException {
        cassandra = Cassandra.start(work);
    }

    static Stream<Arguments> tables() {
        return Stream.of("kv", "many", "wide")
                .flatMap(table -> Stream.of("mc", "md", "me", "na").map(version -> Arguments.of(table, version)));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void slices_hold_the_rows_of_their_ranges(String table, String version) throws Exception {
        int id = 1;
        for (SSTable source : open(original(table, version))) {
            for (TokenRanges ranges : List.of(HALF, STRIPES, TokenRanges.FULL)) {
                Descriptor next = new Descriptor(source.descriptor().version(), new SSTableId.Sequence(++id));

                SSTable slice = SliceWriter.write(source, ranges, target, next)
                        .orElseThrow()
                        .sstable();

                assertThat(withoutPadding(cassandra.verifyAndDump(slice.path(Component.DATA), true)))
                        .isEqualTo(dump(source, ranges));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void a_compaction_to_nb_holds_the_rows_of_all(String table, String version) throws Exception {
        TableDirectory original = original(table, version);
        Path folder = Files.createDirectories(
                target.resolve(original.keyspace()).resolve(original.path().getFileName()));
        SSTable source = open(original).get(0);
        copy(original.path(), folder);
        Descriptor second = new Descriptor(source.descriptor().version(), new SSTableId.Sequence(1000));
        SliceWriter.write(source, STRIPES, folder, second).orElseThrow();

        try (LocalStore store = LocalStore.open(target, StoreOptions.DEFAULTS)) {
            store.load();
            store.compact(original.id(), new MajorCompaction());
        }

        List<SSTable> compacted = open(new TableDirectory(folder, original.keyspace(), original.name(), original.id()));
        assertThat(compacted)
                .extracting(sstable -> sstable.descriptor().version())
                .containsExactly(Version.NB);
        assertThat(withoutPadding(cassandra.verifyAndDump(compacted.get(0).path(Component.DATA), true)))
                .isEqualTo(dump(source, TokenRanges.FULL));
    }

    private static TableDirectory original(String table, String version) throws IOException {
        return TableDirectory.find(OLD.resolve(table).resolve(version)).get(0);
    }

    private static List<SSTable> open(TableDirectory table) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : table.descriptors()) {
            sstables.add(SSTable.open(table.path(), descriptor));
        }
        return sstables;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private static JsonNode dump(SSTable sstable, TokenRanges ranges) throws IOException {
        StringBuilder out = new StringBuilder();
        try (PartitionReader reader = PartitionReader.open(sstable, ranges)) {
            new Dump(reader, sstable.descriptor().version(), Instant.now().getEpochSecond(), out).print();
        }
        return Cassandra.json(Cassandra.withoutPositions(out.toString()));
    }

    /** A slice has empty partitions where chunks of it keep their place. */
    private static JsonNode withoutPadding(String dump) throws IOException {
        ArrayNode partitions = (ArrayNode) Cassandra.json(dump);
        for (int i = partitions.size() - 1; i >= 0; i--) {
            JsonNode partition = partitions.get(i);
            if (partition.get("rows").isEmpty() && !partition.get("partition").has("deletion_info")) {
                partitions.remove(i);
            }
        }
        return partitions;
    }
}
