package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.cassandra.load.BulkLoad;
import io.sluice.cassandra.load.LoadOptions;
import io.sluice.cassandra.load.LoadResult;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.receive.PullFromAll;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.ClusterView;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.TableGenerator;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes of 5.0 with 16 tokens each and two replicas of everything are loaded, and things go wrong meanwhile. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RingLoadInteropTest {
    private static final int NODES = 3;
    private static final long BYTES = 32 << 20;
    private static final long SMALL_BYTES = 4 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TABLE = "t";
    private static final String SCHEMA = """
            CREATE KEYSPACE %1$s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2};
            CREATE TABLE %1$s.t (k text, c int, v text, w bigint, PRIMARY KEY (k, c))
                WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'};
            """;

    private Path work = Path.of("");

    private LiveCluster nodes;
    private CassandraLinks links;
    private int keyspaces;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException, InterruptedException {
        work = folder;
        nodes = LiveCluster.start("5.0", options -> options.withNodes(NODES));
        links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        if (nodes != null) {
            links.close();
            nodes.close();
        }
    }

    /** A table in the cluster, and SSTables for it that each span the ring. */
    private record Source(String keyspace, UUID id, Path folder, List<SSTable> sstables) {}

    private Source source(Version version, long bytes) throws IOException, SchemaException {
        String keyspace = "ring" + keyspaces++;
        Path schema = Files.writeString(work.resolve(keyspace + ".cql"), SCHEMA.formatted(keyspace));
        UUID id = nodes.create(schema, keyspace, keyspace, TABLE);
        Path folder = Files.createDirectories(work.resolve(keyspace)
                .resolve(TABLE + "-" + new UUID(1, 1).toString().replace("-", "")));
        TableSchema parsed = TableSchema.parse(Files.readString(schema));
        var order = new TableGenerator.Order(bytes, OptionalInt.empty(), OptionalInt.of(2), true, 1);
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor made :
                new TableGenerator(parsed, version, WriterOptions.DEFAULTS, written -> {}).write(folder, order)) {
            sstables.add(SSTable.open(folder, made));
        }
        return new Source(keyspace, id, TableDirectory.find(folder).get(0).path(), sstables);
    }

    private CqlCluster connect() throws IOException {
        return CqlCluster.connect(
                new CqlCluster.Contact(List.of(nodes.contact()), Optional.empty(), Optional.empty(), 7000));
    }

    private BulkLoad prepare(Source source, CqlCluster cluster, long bytesPerSecond) throws IOException {
        return BulkLoad.prepare(
                source.folder(), cluster, links, new LoadOptions(Optional.empty(), bytesPerSecond, 2, PATIENCE));
    }

    private static CompletableFuture<List<LoadResult>> run(BulkLoad load) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return load.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        });
    }

    private static void awaitFirstBytes(BulkLoad load) {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofMinutes(1))
                .until(() -> load.progress().sentBytes() > 0);
    }

    private static int number(CassandraNode node) {
        return node.streaming().getAddress().getAddress()[3];
    }

    /** What a node has of what it owns, and what it should have. */
    private void assertHasWhatItOwns(Source source, CassandraNode node, TokenRanges owned) throws IOException {
        assertThat(ContentDigest.of(nodes.files(number(node), source.id()), TokenRanges.FULL))
                .as("%s", node)
                .isEqualTo(ContentDigest.of(source.sstables(), owned));
    }

    @Test
    void every_replica_has_what_it_owns_and_nothing_else_sent_in_part() throws Exception {
        Source source = source(Version.NB, SMALL_BYTES);
        try (CqlCluster cluster = connect()) {
            BulkLoad load = prepare(source, cluster, 0);

            List<LoadResult> results = load.run();

            assertThat(results)
                    .hasSize(NODES)
                    .allSatisfy(result -> assertThat(result.failure()).isEmpty());
            assertThat(load.changedMeanwhile()).isEmpty();
            for (Map.Entry<CassandraNode, TokenRanges> owner :
                    cluster.view(source.keyspace()).owned().entrySet()) {
                assertHasWhatItOwns(source, owner.getKey(), owner.getValue());
            }
        }
    }

    @Test
    void every_replica_has_what_it_owns_and_nothing_else_sent_as_slices() throws Exception {
        Source source = source(Version.NB, BYTES);
        try (CqlCluster cluster = connect()) {
            BulkLoad load = prepare(source, cluster, 0);

            assertThat(load.deliveries())
                    .allSatisfy(delivery -> assertThat(delivery.slices()).isPositive());
            List<LoadResult> results = load.run();

            assertThat(results)
                    .hasSize(NODES)
                    .allSatisfy(result -> assertThat(result.failure()).isEmpty());
            assertThat(load.changedMeanwhile()).isEmpty();
            for (Map.Entry<CassandraNode, TokenRanges> owner :
                    cluster.view(source.keyspace()).owned().entrySet()) {
                assertHasWhatItOwns(source, owner.getKey(), owner.getValue());
            }
        }
    }

    @Test
    void a_node_that_is_killed_has_nothing_of_it_and_takes_all_the_next_time() throws Exception {
        Source source = source(Version.NB, SMALL_BYTES);
        try (CqlCluster cluster = connect()) {
            BulkLoad load = prepare(source, cluster, SMALL_BYTES / 2);
            CompletableFuture<List<LoadResult>> running = run(load);
            awaitFirstBytes(load);

            nodes.node(NODES).kill();
            List<LoadResult> results = running.get();

            for (LoadResult result : results) {
                boolean isKilled = number(result.delivery().receiver().node()) == NODES;
                assertThat(result.failure().isPresent()).as("%s", result).isEqualTo(isKilled);
            }
            nodes.restart();
            assertThat(nodes.files(NODES, source.id())).isEmpty();
            assertThat(prepare(source, cluster, 0).run())
                    .allSatisfy(result -> assertThat(result.failure()).isEmpty());
            for (Map.Entry<CassandraNode, TokenRanges> owner :
                    cluster.view(source.keyspace()).owned().entrySet()) {
                assertHasWhatItOwns(source, owner.getKey(), owner.getValue());
            }
        }
    }

    @Test
    void a_load_whose_table_is_dropped_meanwhile_does_not_pass_for_good() throws Exception {
        Source source = source(Version.NB, SMALL_BYTES);
        try (CqlCluster cluster = connect()) {
            BulkLoad load = prepare(source, cluster, SMALL_BYTES / 2);
            CompletableFuture<List<LoadResult>> running = run(load);
            awaitFirstBytes(load);

            nodes.cql().execute("DROP TABLE " + source.keyspace() + ".t");

            assertThat(running.get()).hasSize(NODES); // a node may take files of a table that is gone
            assertThat(load.changedMeanwhile())
                    .hasValueSatisfying(change -> assertThat(change).contains(source.keyspace() + ".t"));
        }
    }

    @Test
    void oa_is_refused_before_anything_is_sent() throws Exception {
        Source source = source(Version.OA, SMALL_BYTES);
        try (CqlCluster cluster = connect()) {
            assertThatThrownBy(() -> prepare(source, cluster, 0))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("could not restart")
                    .hasMessageContaining("storage_compatibility_mode: NONE");
        }
        assertThat(nodes.files(1, source.id())).isEmpty();
    }

    @Test
    void a_whole_table_comes_from_all_its_owners_and_the_next_attempt_asks_who_was_dead() throws Exception {
        Source source = source(Version.NB, SMALL_BYTES);
        Path target = work.resolve("pulled-" + source.keyspace()).resolve("t");
        try (CqlCluster cluster = connect()) {
            assertThat(prepare(source, cluster, 0).run())
                    .allMatch(result -> result.failure().isEmpty());
            ClusterView view = cluster.view(source.keyspace());
            var order = new PullFromAll.Order(view, TABLE, source.id(), target, PATIENCE);
            nodes.node(NODES).kill();

            PullFromAll.Result first = new PullFromAll(order, links).run();
            nodes.restart();
            PullFromAll again = new PullFromAll(order, links);
            List<CassandraNode> here = again.here();
            PullFromAll.Result second = again.run();

            assertThat(first.sstables()).isEmpty();
            assertThat(first.failures()).hasSize(1);
            assertThat(here)
                    .hasSize(NODES - 1)
                    .doesNotContainAnyElementsOf(first.failures().keySet());
            assertThat(second.failures()).isEmpty();
            assertThat(ContentDigest.of(second.sstables(), TokenRanges.FULL))
                    .isEqualTo(ContentDigest.of(source.sstables(), TokenRanges.FULL));
            assertThat(target.resolveSibling("t.parts")).doesNotExist();
        }
    }
}
