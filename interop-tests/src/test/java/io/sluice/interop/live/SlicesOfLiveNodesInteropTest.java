package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.sluice.cassandra.load.LoadPlanner;
import io.sluice.cassandra.load.Receiver;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.Push;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.harness.cassandra.NodeTool;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.TableGenerator;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A live node gets slices of every fixture, opens them, reads them, compacts them and reads them again: each time a
 * client sees what the node finds in the same ranges of the whole table.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SlicesOfLiveNodesInteropTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures")
            .toAbsolutePath();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SMALL_CHUNK_BYTES = 1 << 12;

    /** How a slice is made. */
    enum Cut {
        /** One range, one run of partitions. */
        ONE_RANGE,
        /** Thirty ranges with gaps between: what lies in them is joined in one slice. */
        JOINED,
        /**
         * The same out of a table in small compressed chunks, which stay as they are, with padding partitions between.
         */
        JOINED_CHUNKS
    }

    @TempDir
    private static Path work = Path.of("");

    private final Map<String, Integer> slices = new LinkedHashMap<>();
    private final CassandraLinks links;
    private @Nullable LiveCluster node;
    private int tables;
    private int nextId = 1;

    SlicesOfLiveNodesInteropTest() throws IOException {
        links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        links.close();
        if (node != null) {
            node.close();
        }
        // What docs/modes.md shows.
        slices.forEach((where, count) -> System.out.println("SLICES " + where + " | " + count));
    }

    static Stream<Arguments> fixtures() throws IOException {
        try (Stream<Path> all = Files.list(FIXTURES)) {
            List<Path> fixtures = all.filter(Files::isDirectory).sorted().toList();
            return Stream.of(List.of("4.1", "", "nb"), List.of("5.0", "NONE", "nb"), List.of("5.0", "NONE", "oa"))
                    .flatMap(kind -> fixtures.stream()
                            .filter(fixture -> Files.isDirectory(fixture.resolve(kind.get(2))))
                            .map(fixture -> Arguments.of(
                                    kind.get(0),
                                    kind.get(1),
                                    kind.get(2),
                                    fixture.getFileName().toString())));
        }
    }

    /** The node of this kind; the cases are ordered so that each is started once. */
    private LiveCluster use(String release, String mode) throws IOException, InterruptedException {
        LiveCluster running = node;
        if (running != null && running.options().release().version().startsWith(release)) {
            return running;
        }
        if (running != null) {
            running.close();
            node = null;
        }
        LiveCluster started =
                LiveCluster.start(release, options -> mode.isEmpty() ? options : options.withCompatibility(mode));
        node = started;
        return started;
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void slices_are_read_as_the_ranges_of_the_table_that_they_are_cut_from(
            String release, String mode, String version, String fixture) throws Exception {
        LiveCluster live = use(release, mode);
        Path folder = FIXTURES.resolve(fixture);
        List<SSTable> originals = open(folder.resolve(version));
        TableDirectory original = TableDirectory.find(folder.resolve(version)).get(0);
        String table = original.name();
        String whole = create(live, folder, original);
        send(live, whole, table, originals);
        try (NodeTool tool = NodeTool.of(live.node(1))) {
            for (Cut cut : Cut.values()) {
                TokenRanges ranges = ranges(cut, fixture.hashCode());
                List<SSTable> cuts = slices(originals, ranges, cut);
                if (cuts.isEmpty()) {
                    assertThat(ContentDigest.of(originals, ranges)).isEqualTo(ContentDigest.EMPTY);
                    continue;
                }
                List<Map<String, String>> expected = rowsOf(live, whole + "." + table, ranges, "");
                String keyspace = create(live, folder, original);
                send(live, keyspace, table, cuts);

                assertThat(LiveRows.read(live.cql(), keyspace + "." + table))
                        .as("%s, before it is compacted", cut)
                        .containsExactlyInAnyOrderElementsOf(expected);
                List<Path> before = dataFiles(live, keyspace);
                tool.compact(keyspace, table);
                awaitRemoved(before);
                assertThat(dataFiles(live, keyspace))
                        .as("%s, files after it was compacted", cut)
                        .hasSize(1);
                assertThat(LiveRows.read(live.cql(), keyspace + "." + table))
                        .as("%s, after it was compacted", cut)
                        .containsExactlyInAnyOrderElementsOf(expected);
                slices.merge(release + " | " + version + " | " + cut, cuts.size(), Integer::sum);
            }
        }
    }

    static Stream<Arguments> nodes() {
        return Stream.of(
                Arguments.of("4.1", "", Version.NB),
                Arguments.of("5.0", "NONE", Version.NB),
                Arguments.of("5.0", "NONE", Version.OA));
    }

    /** Padding of a table whose keys have one length, and whose clusterings are compared by queries that filter. */
    @ParameterizedTest
    @MethodSource("nodes")
    void queries_that_filter_rows_see_nothing_of_padding(String release, String mode, Version version)
            throws Exception {
        LiveCluster live = use(release, mode);
        Path folder = Files.createDirectories(work.resolve("padded-" + nextId));
        String cql = "CREATE KEYSPACE IF NOT EXISTS own WITH replication = {'class': 'SimpleStrategy',"
                + " 'replication_factor': 1}; CREATE TABLE own.padded (id uuid, day smallint, at timeuuid, s text static,"
                + " v text, PRIMARY KEY (id, day, at)) WITH CLUSTERING ORDER BY (day DESC, at ASC);";
        Files.writeString(folder.resolve("schema.cql"), cql);
        Path table = Files.createDirectories(folder.resolve("own").resolve("padded-" + "0".repeat(32)));
        new TableGenerator(TableSchema.parse(cql), version, WriterOptions.DEFAULTS, bytes -> {})
                .write(table, new TableGenerator.Order(1, OptionalInt.of(600), OptionalInt.of(1), false, 1));
        TableDirectory original = TableDirectory.find(folder).get(0);
        String whole = create(live, folder, original) + ".padded";
        send(live, whole.replace(".padded", ""), "padded", open(folder));
        TokenRanges ranges = ranges(Cut.JOINED_CHUNKS, 7);
        List<SSTable> cuts = slices(open(folder), ranges, Cut.JOINED_CHUNKS);
        String keyspace = create(live, folder, original);
        send(live, keyspace, "padded", cuts);

        String cut = keyspace + ".padded";
        List<Map<String, String>> all = rowsOf(live, whole, ranges, "");
        assertThat(all).hasSizeGreaterThan(300);
        long partitions = all.stream().map(row -> row.get("id")).distinct().count();
        assertThat(entries(cuts.get(0))).as("with padding").isGreaterThan(partitions);
        assertThat(LiveRows.read(live.cql(), cut)).containsExactlyInAnyOrderElementsOf(all);
        for (String condition : List.of("day >= 0", "day < 100 AND day > -20000", "day = 0")) {
            assertThat(LiveRows.read(live.cql(), cut + " WHERE " + condition + " ALLOW FILTERING"))
                    .as(condition)
                    .containsExactlyInAnyOrderElementsOf(
                            rowsOf(live, whole, ranges, " AND " + condition + " ALLOW FILTERING"));
        }
        assertThat(LiveRows.read(live.cql(), cut + " PER PARTITION LIMIT 1"))
                .containsExactlyInAnyOrderElementsOf(rowsOf(live, whole, ranges, " PER PARTITION LIMIT 1"));
        assertThat(live.cql().execute("SELECT DISTINCT id FROM " + cut).rows()).hasSize((int) partitions);
    }

    private static long entries(SSTable sstable) throws IOException {
        long entries = 0;
        try (PartitionCursor cursor = sstable.partitions()) {
            while (cursor.next().isPresent()) {
                entries++;
            }
        }
        return entries;
    }

    private static List<Path> dataFiles(LiveCluster live, String keyspace) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> tables =
                Files.newDirectoryStream(live.node(1).data().resolve(keyspace))) {
            for (Path table : tables) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(table, "*-Data.db")) {
                    files.forEach(found::add);
                }
            }
        }
        return found;
    }

    /** A node removes what it has compacted a little later, and nothing else would make it go. */
    private static void awaitRemoved(List<Path> files) {
        await(files + " are gone")
                .pollInterval(Duration.ofMillis(20))
                .atMost(PATIENCE)
                .until(() -> files.stream().noneMatch(Files::exists));
    }

    private static List<SSTable> open(Path folder) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (TableDirectory table : TableDirectory.find(folder)) {
            for (Descriptor descriptor : table.descriptors()) {
                sstables.add(SSTable.open(table.path(), descriptor));
            }
        }
        return sstables;
    }

    private String create(LiveCluster live, Path fixture, TableDirectory original) throws IOException {
        String keyspace = "s" + tables++;
        live.create(fixture.resolve("schema.cql"), original.keyspace(), keyspace, original.name());
        return keyspace;
    }

    private static TokenRanges ranges(Cut cut, int seed) {
        Random random = new Random(seed);
        if (cut == Cut.ONE_RANGE) {
            long start = random.nextLong() >> 1; // in the middle half of the ring
            return TokenRanges.of(TokenRange.of(start, start + (1L << 62)));
        }
        long width = 1L << 58;
        long offset = (random.nextLong() >>> 1) % width;
        List<TokenRange> stripes = new ArrayList<>();
        for (int i = -30; i < 30; i += 2) {
            stripes.add(TokenRange.of(i * width + offset, (i + 1) * width + offset));
        }
        return TokenRanges.of(stripes);
    }

    private List<SSTable> slices(List<SSTable> originals, TokenRanges ranges, Cut cut) throws IOException {
        List<SSTable> slices = new ArrayList<>();
        for (SSTable original : originals) {
            SSTable source = cut == Cut.JOINED_CHUNKS ? inSmallChunks(original) : original;
            SliceWriter.write(source, ranges, work, next(source)).ifPresent(slice -> slices.add(slice.sstable()));
        }
        return slices;
    }

    private Descriptor next(SSTable like) {
        return new Descriptor(like.descriptor().version(), new SSTableId.Sequence(nextId++));
    }

    private SSTable inSmallChunks(SSTable source) throws IOException {
        WriterOptions options =
                WriterOptions.like(source).withCompression(CompressionParameters.of(Compressor.LZ4, SMALL_CHUNK_BYTES));
        try (PartitionReader reader = PartitionReader.open(source, TokenRanges.FULL);
                SSTableWriter writer = SSTableWriter.create(work, next(source), reader.header(), options)) {
            writer.appendAll(reader);
            return writer.finish();
        }
    }

    /** Sends them whole, as the load of a node that owns everything does. */
    private void send(LiveCluster live, String keyspace, String table, List<SSTable> sstables)
            throws IOException, InterruptedException {
        UUID id = UUID.fromString(live.cql()
                .execute("SELECT id FROM system_schema.tables WHERE keyspace_name = '" + keyspace
                        + "' AND table_name = '" + table + "'")
                .rows()
                .get(0)
                .get(0));
        var node = new CassandraNode(
                id, live.options().storage(1), "dc1", live.options().release().version());
        var transfers = LoadPlanner.plan(
                        new LiveTable(keyspace, table, id, "", List.of()),
                        sstables,
                        List.of(new Receiver(node, TokenRanges.FULL, 13)))
                .get(0)
                .transfers();
        var order = new Push.Order(live.options().storage(1), Uuids.timeBased(), 0, id, transfers, 1, PATIENCE);
        assertThat(new Push(order, links, new SharedThrottle(0), bytes -> {}).run())
                .isEmpty();
    }

    /**
     * What the node finds in some ranges of a table.
     *
     * @param more appended to each query
     */
    private static List<Map<String, String>> rowsOf(LiveCluster live, String table, TokenRanges ranges, String more)
            throws IOException {
        String[] name = table.split("\\.", -1);
        String columns = "SELECT position, column_name, kind FROM system_schema.columns WHERE keyspace_name = '"
                + name[0] + "' AND table_name = '" + name[1] + "'";
        String token = live.cql().execute(columns).rows().stream()
                .filter(column -> column.get(2).contains("partition_key"))
                .sorted(Comparator.comparing(column -> column.get(0)))
                .map(column -> column.get(1).replace("'", ""))
                .collect(Collectors.joining(", ", "token(", ")"));
        List<Map<String, String>> rows = new ArrayList<>();
        for (TokenRange range : ranges.ranges()) {
            rows.addAll(LiveRows.read(
                    live.cql(),
                    table + " WHERE " + token + " > " + range.start().value() + " AND " + token + " <= "
                            + range.end().value() + more));
        }
        return rows;
    }
}
