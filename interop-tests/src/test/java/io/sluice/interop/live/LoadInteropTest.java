package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.sluice.cassandra.load.Delivery;
import io.sluice.cassandra.load.LoadPlanner;
import io.sluice.cassandra.load.Receiver;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.Push;
import io.sluice.cassandra.send.SSTableTransfer;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One node of each kind gets SSTables of each kind in each way: what is there afterwards is what was sent. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoadInteropTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures")
            .toAbsolutePath();
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(0, Long.MAX_VALUE));
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Tables without deletions, and the names of their key's columns: what a client reads of them is easily told. */
    private static final Map<String, List<String>> PLAIN_TABLES = Map.of(
            "netflix", List.of("key", "column1"),
            "netflix_lz4", List.of("key", "column1"),
            "zstd", List.of("a", "b", "c"));

    /** Tables with everything else: their files at the node are read instead. */
    private static final List<String> RICH_TABLES = List.of(
            "types",
            "collections",
            "statics",
            "tombstones",
            "ttl",
            "wide",
            "wide_lz4",
            "multi_ck",
            "snappy",
            "deflate",
            "lz4_ratio",
            "multi_sstable",
            "counters",
            "no_filter");

    /** What kind of node. */
    enum Server {
        FOUR("4.1", "", List.of("nb"), false),
        FOUR_TLS("4.1", "", List.of("nb"), true),
        FIVE("5.0", "", List.of("nb", "da"), false),
        FIVE_TLS("5.0", "", List.of("nb", "da"), true),
        FIVE_ALONE("5.0", "NONE", List.of("nb", "oa", "da"), false),
        FIVE_ALONE_TLS("5.0", "NONE", List.of("nb", "oa", "da"), true);

        private final String release;
        private final String mode;
        private final List<String> versions;
        private final boolean isEncrypted;

        Server(String release, String mode, List<String> versions, boolean isEncrypted) {
            this.release = release;
            this.mode = mode;
            this.versions = versions;
            this.isEncrypted = isEncrypted;
        }

        /** Human-readable. */
        private String text() {
            return release + (mode.isEmpty() ? "" : ", mode " + mode) + (isEncrypted ? ", mutual TLS" : ", plain");
        }
    }

    /** In which way. */
    enum Way {
        WHOLE,
        SLICE,
        PART
    }

    private final CassandraLinks plain;
    private final Map<String, List<String>> matrix = new TreeMap<>();
    private Certificates certificates = new Certificates(Path.of(""));
    private @Nullable CassandraLinks encrypted;
    private @Nullable Server running;
    private @Nullable LiveCluster cluster;
    private int keyspaces;

    LoadInteropTest() throws IOException {
        plain = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
    }

    @BeforeAll
    void fetch(@TempDir Path folder) throws IOException, InterruptedException {
        certificates = Certificates.in(folder);
        encrypted = CassandraLinks.create(Optional.of(certificates.ours()), 1, PATIENCE);
        use(Server.FOUR);
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        plain.close();
        if (encrypted != null) {
            encrypted.close();
        }
        if (cluster != null) {
            cluster.close();
        }
        // What docs/cassandra.md shows: compressions whose rows came back over CQL as they were sent.
        matrix.forEach((where, compressions) -> System.out.println("MATRIX " + where + " | " + compressions));
    }

    /** The node of this kind; the cases are ordered so that each is started once. */
    private LiveCluster use(Server server) throws IOException, InterruptedException {
        if (cluster != null && server == running) {
            return cluster;
        }
        if (cluster != null) {
            cluster.close();
            cluster = null;
        }
        String yaml = server.isEncrypted ? certificates.streamingYaml() : "";
        LiveCluster started = LiveCluster.start(
                server.release,
                options -> (server.mode.isEmpty() ? options : options.withCompatibility(server.mode)).withYaml(yaml));
        cluster = started;
        running = server;
        return started;
    }

    static Stream<Arguments> cases() {
        List<Arguments> cases = new ArrayList<>();
        for (Server server : Server.values()) {
            // What is in a table does not meet TLS: there the plain ones are enough.
            Stream.concat(
                            PLAIN_TABLES.keySet().stream().sorted(),
                            server.isEncrypted ? Stream.of() : RICH_TABLES.stream())
                    .forEach(table -> server.versions.forEach(version -> {
                        for (Way way : Way.values()) {
                            cases.add(Arguments.of(server, table, version, way));
                        }
                    }));
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void what_is_there_afterwards_is_what_was_sent(Server server, String table, String version, Way way)
            throws Exception {
        LiveCluster target = use(server);
        String keyspace = "ks" + keyspaces++;
        UUID id = target.create(FIXTURES.resolve(table).resolve("schema.cql"), "fx", keyspace, table);
        List<SSTable> sent = fixture(table, version);
        TokenRanges wanted = way == Way.WHOLE ? TokenRanges.FULL : HALF;

        Optional<Failure> failure = push(target, new LiveTable(keyspace, table, id, "", List.of()), sent, way);

        assertThat(failure).isEmpty();
        if (PLAIN_TABLES.containsKey(table)) {
            List<Map<String, String>> expected =
                    LiveRows.of(sent.get(0), wanted, PLAIN_TABLES.getOrDefault(table, List.of()));
            assertThat(LiveRows.read(target.cql(), keyspace + "." + table))
                    .isNotEmpty()
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
        assertThat(ContentDigest.of(target.files(1, id), TokenRanges.FULL)).isEqualTo(ContentDigest.of(sent, wanted));
        if (PLAIN_TABLES.containsKey(table)) {
            matrix.computeIfAbsent(server.text() + " | " + version + " | " + way, cell -> new ArrayList<>())
                    .add(table);
        }
    }

    private static List<SSTable> fixture(String table, String version) throws IOException {
        Path folder = FIXTURES.resolve(table).resolve(version);
        assertThat(Files.isDirectory(folder)).as("%s", folder).isTrue();
        TableDirectory found = TableDirectory.find(folder).get(0);
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : found.descriptors()) {
            sstables.add(SSTable.open(found.path(), descriptor));
        }
        return sstables;
    }

    private Optional<Failure> push(LiveCluster target, LiveTable table, List<SSTable> sstables, Way way)
            throws IOException, InterruptedException {
        var order = new Push.Order(
                target.options().storage(1),
                Uuids.timeBased(),
                0,
                table.id(),
                transfers(target, table, sstables, way),
                2,
                PATIENCE);
        CassandraLinks links =
                Objects.requireNonNull(target.options().extraYaml().isEmpty() ? plain : encrypted);
        return new Push(order, links, new SharedThrottle(0), bytes -> {}).run();
    }

    private static List<SSTableTransfer> transfers(LiveCluster target, LiveTable table, List<SSTable> sstables, Way way)
            throws IOException {
        if (way == Way.WHOLE) {
            var node = new CassandraNode(
                    table.id(),
                    target.options().storage(1),
                    "dc1",
                    target.options().release().version());
            List<Delivery> deliveries =
                    LoadPlanner.plan(table, sstables, List.of(new Receiver(node, TokenRanges.FULL, 13)));
            return deliveries.get(0).transfers();
        }
        List<SSTableTransfer> parts = new ArrayList<>();
        for (SSTable sstable : sstables) {
            if (way == Way.SLICE) {
                parts.add(new SSTableTransfer.Slice(sstable, HALF, 1));
            } else if (!sstable.sections(HALF).isEmpty()) {
                parts.add(new SSTableTransfer.Part(sstable, HALF, 1));
            }
        }
        return parts;
    }
}
