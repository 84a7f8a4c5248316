package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.receive.Follower;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.harness.cassandra.NodeTool;
import io.sluice.harness.cassandra.StockLoader;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cassandra's own loader, and a node, stream to us: what lies here afterwards is what they had. */
class FollowInteropTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures")
            .toAbsolutePath();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** What is in a table does not meet TLS: there the first three are enough. */
    private static final List<String> TABLES =
            List.of("netflix", "netflix_lz4", "zstd", "types", "collections", "tombstones", "multi_sstable");

    private static final List<String> ENCRYPTED_TABLES = TABLES.subList(0, 3);

    /** How the loader sends. */
    enum Way {
        WHOLE,
        PART
    }

    static Stream<Arguments> ways() {
        return Stream.of("4.1", "5.0")
                .flatMap(release -> Stream.of(Way.values())
                        .flatMap(
                                way -> Stream.of(false, true).map(encrypted -> Arguments.of(release, way, encrypted))));
    }

    private static Follower follower(
            InetSocketAddress at,
            Path target,
            Function<UUID, Optional<TableRef>> tables,
            CassandraLinks links,
            BlockingQueue<Follower.Outcome> ended)
            throws IOException {
        return Follower.start(new Follower.Order(at, target, tables, PATIENCE, ended::add, reason -> {}), links);
    }

    private static Follower.Outcome next(BlockingQueue<Follower.Outcome> ended) throws InterruptedException {
        Follower.Outcome outcome = ended.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(outcome).as("a session ended").isNotNull();
        return java.util.Objects.requireNonNull(outcome);
    }

    private static List<SSTable> sstables(TableDirectory folder) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : folder.descriptors()) {
            sstables.add(SSTable.open(folder.path(), descriptor));
        }
        return sstables;
    }

    private static TableDirectory fixture(String table) throws IOException {
        return TableDirectory.find(FIXTURES.resolve(table).resolve("nb")).get(0);
    }

    /** Runs the release's loader; its exit code. */
    private static int load(StockLoader loader, Path table, int storagePort, Path log) throws Exception {
        return new ProcessBuilder(loader.command(table, storagePort))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
    }

    private static String encryption(Certificates certificates) {
        return StockLoader.encryption(
                certificates.store("node.p12").file(),
                certificates.store("trust.p12").file(),
                Certificates.PASSWORD);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void what_the_stock_loader_sends_lies_here(String release, Way way, boolean encrypted, @TempDir Path work)
            throws Exception {
        Certificates certificates = Certificates.in(Files.createDirectory(work.resolve("tls")));
        BlockingQueue<Follower.Outcome> ended = new LinkedBlockingQueue<>();
        try (LiveCluster node = LiveCluster.start(release, options -> options);
                CqlCluster schema = CqlCluster.connect(
                        new CqlCluster.Contact(List.of(node.contact()), Optional.empty(), Optional.empty(), 7000));
                CassandraLinks links = CassandraLinks.create(
                        encrypted ? Optional.of(certificates.ours()) : Optional.empty(), 1, PATIENCE);
                Follower follower = follower(
                        new InetSocketAddress("127.0.0.1", 0), work.resolve("to"), schema::table, links, ended)) {
            StockLoader loader = StockLoader.of(node.options(), LiveCluster.HOME, work.resolve("loader"))
                    .withYaml((way == Way.PART ? "stream_entire_sstables: false\n" : "")
                            + (encrypted ? encryption(certificates) : ""));
            for (String table : encrypted ? ENCRYPTED_TABLES : TABLES) {
                UUID id = node.create(FIXTURES.resolve(table).resolve("schema.cql"), "fx", "fx", table);
                Path log = work.resolve(table + ".log");

                int code =
                        load(loader, fixture(table).path(), follower.address().getPort(), log);

                assertThat(code).as(Files.readString(log)).isZero();
                Follower.Outcome outcome = next(ended);
                assertThat(outcome.failure()).as(table).isEmpty();
                assertThat(outcome.operation()).isEqualTo("Bulk Load");
                TableDirectory arrived =
                        TableDirectory.find(outcome.folder().orElseThrow()).get(0);
                assertThat(arrived.id()).isEqualTo(id);
                assertThat(ContentDigest.of(sstables(arrived), TokenRanges.FULL))
                        .as(table)
                        .isEqualTo(ContentDigest.of(sstables(fixture(table)), TokenRanges.FULL));
                // Compressed chunks have sums of their own; of other data the loader of 5.0 sends neither digest nor
                // sums,
                // and in part nobody does.
                boolean isCompressed =
                        sstables(fixture(table)).get(0).components().contains(Component.COMPRESSION_INFO);
                boolean isSummed = isCompressed || (way == Way.WHOLE && release.equals("4.1"));
                assertThat(outcome.unverified())
                        .as("%s without checksums", table)
                        .isEqualTo(isSummed ? 0 : outcome.sstables());
                // A rewritten SSTable has all of its components, one that came whole what was sent of it.
                assertThat(outcome.sstables())
                        .isEqualTo(sstables(fixture(table)).size());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1", "5.0"})
    void a_loader_is_told_when_nothing_was_kept(String release, @TempDir Path work) throws Exception {
        BlockingQueue<Follower.Outcome> ended = new LinkedBlockingQueue<>();
        try (LiveCluster node = LiveCluster.start(release, options -> options);
                CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = follower(
                        new InetSocketAddress("127.0.0.1", 0),
                        work.resolve("to"),
                        id -> Optional.empty(),
                        links,
                        ended)) {
            node.create(FIXTURES.resolve("netflix").resolve("schema.cql"), "fx", "fx", "netflix");
            StockLoader loader = StockLoader.of(node.options(), LiveCluster.HOME, work.resolve("loader"));

            int code =
                    load(loader, fixture("netflix").path(), follower.address().getPort(), work.resolve("loader.log"));

            assertThat(code).as(Files.readString(work.resolve("loader.log"))).isNotZero();
            Follower.Outcome outcome = next(ended);
            assertThat(outcome.failure().map(Failure::code)).contains(ErrorCode.UNKNOWN_TABLE);
            assertThat(outcome.folder()).isEmpty();
            try (Stream<Path> left = Files.list(work.resolve("to"))) {
                assertThat(left)
                        .as("but the lock of the follower")
                        .containsExactly(work.resolve("to").resolve(".in-use"));
            }
        }
    }

    /** We stand at the address of a dead replica, and a node that lives loads into its ring. */
    @ParameterizedTest
    @ValueSource(strings = {"4.1", "5.0"})
    void a_node_streams_to_who_stands_in_for_a_dead_one(String release, @TempDir Path work) throws Exception {
        BlockingQueue<Follower.Outcome> ended = new LinkedBlockingQueue<>();
        try (LiveCluster ring = LiveCluster.start(release, options -> options.withNodes(2))) {
            UUID id = ring.create(FIXTURES.resolve("netflix").resolve("schema.cql"), "fx", "fx", "netflix");
            ring.cql()
                    .execute("ALTER KEYSPACE fx WITH replication = {'class': 'SimpleStrategy',"
                            + " 'replication_factor': 2}");
            Path source = Files.createDirectories(work.resolve("fx").resolve("netflix"));
            copy(fixture("netflix").path(), source);
            ring.node(2).kill();
            try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                    Follower follower = follower(
                            ring.options().storage(2),
                            work.resolve("to"),
                            asked -> Optional.of(new TableRef(asked, "fx", "netflix")),
                            links,
                            ended)) {
                assertThat(follower.address()).isEqualTo(ring.options().storage(2));

                try (NodeTool node = NodeTool.of(ring.node(1))) {
                    node.bulkLoad(source);
                }

                Follower.Outcome outcome = next(ended);
                assertThat(outcome.failure()).isEmpty();
                assertThat(outcome.from()).isEqualTo(ring.options().storage(1));
                TableDirectory arrived =
                        TableDirectory.find(outcome.folder().orElseThrow()).get(0);
                assertThat(arrived.id()).isEqualTo(id);
                assertThat(ContentDigest.of(sstables(arrived), TokenRanges.FULL))
                        .isEqualTo(ContentDigest.of(sstables(fixture("netflix")), TokenRanges.FULL));
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }
}
