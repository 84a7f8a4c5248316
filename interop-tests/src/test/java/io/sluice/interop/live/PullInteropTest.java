package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.sluice.cassandra.load.LoadPlanner;
import io.sluice.cassandra.load.Receiver;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.receive.Pull;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.Push;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a node gave is taken out of it again, all or a part: it is the same. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PullInteropTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures")
            .toAbsolutePath();
    private static final TokenRanges SOME =
            TokenRanges.of(TokenRange.of(Long.MIN_VALUE / 2, Long.MIN_VALUE / 4), TokenRange.of(0, Long.MAX_VALUE / 2));
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> TABLES = List.of(
            "netflix",
            "netflix_lz4",
            "zstd",
            "snappy",
            "deflate",
            "lz4_ratio",
            "types",
            "collections",
            "statics",
            "tombstones",
            "ttl",
            "wide",
            "wide_lz4",
            "multi_ck",
            "multi_sstable",
            "many");

    private Path work = Path.of("");

    private final CassandraLinks links;
    private @Nullable LiveCluster cluster;
    private String running = "";
    private int keyspaces;

    PullInteropTest() throws IOException {
        links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
    }

    @BeforeAll
    void fetch(@TempDir Path folder) throws IOException, InterruptedException {
        work = folder;
        use("4.1");
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        links.close();
        if (cluster != null) {
            cluster.close();
        }
    }

    private LiveCluster use(String release) throws IOException, InterruptedException {
        if (cluster != null && running.equals(release)) {
            return cluster;
        }
        if (cluster != null) {
            cluster.close();
            cluster = null;
        }
        LiveCluster started = LiveCluster.start(
                release, options -> release.equals("5.0") ? options.withCompatibility("NONE") : options);
        cluster = started;
        running = release;
        return started;
    }

    static Stream<Arguments> cases() {
        return Stream.of("4.1", "5.0")
                .flatMap(release -> TABLES.stream()
                        .flatMap(table -> (release.equals("4.1") ? Stream.of("nb") : Stream.of("nb", "oa", "da"))
                                .flatMap(version -> Stream.of(TokenRanges.FULL, SOME)
                                        .map(ranges -> Arguments.of(release, table, version, ranges)))));
    }

    /** A table at the node. */
    private record Held(String keyspace, String table, UUID id, List<SSTable> sstables) {}

    private Held hold(LiveCluster node, String table, String version) throws IOException, InterruptedException {
        String keyspace = "pull" + keyspaces++;
        UUID id = node.create(FIXTURES.resolve(table).resolve("schema.cql"), "fx", keyspace, table);
        TableDirectory folder =
                TableDirectory.find(FIXTURES.resolve(table).resolve(version)).get(0);
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : folder.descriptors()) {
            sstables.add(SSTable.open(folder.path(), descriptor));
        }
        var live = new LiveTable(keyspace, table, id, "", List.of());
        var receiver = new CassandraNode(
                id, node.options().storage(1), "dc1", node.options().release().version());
        var order = new Push.Order(
                node.options().storage(1),
                Uuids.timeBased(),
                0,
                id,
                LoadPlanner.plan(live, sstables, List.of(new Receiver(receiver, TokenRanges.FULL, 13)))
                        .get(0)
                        .transfers(),
                1,
                PATIENCE);
        assertThat(new Push(order, links, new SharedThrottle(0), bytes -> {}).run())
                .isEmpty();
        return new Held(keyspace, table, id, sstables);
    }

    private Pull pull(LiveCluster node, Held held, TokenRanges ranges, Path target) {
        return new Pull(
                new Pull.Order(
                        node.options().storage(1), held.keyspace(), held.table(), held.id(), ranges, target, PATIENCE),
                links);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void what_comes_out_is_what_is_in_it(String release, String table, String version, TokenRanges ranges)
            throws Exception {
        LiveCluster node = use(release);
        Held held = hold(node, table, version);
        Path target = work.resolve(held.keyspace()).resolve("t");

        List<SSTable> pulled = pull(node, held, ranges, target).run();

        assertThat(ContentDigest.of(pulled, TokenRanges.FULL)).isEqualTo(ContentDigest.of(held.sstables(), ranges));
        assertThat(Files.exists(target)).isEqualTo(!pulled.isEmpty());
        assertThat(target.resolveSibling(".t.partial")).doesNotExist();
    }

    @Test
    void what_is_in_memory_comes_too() throws Exception {
        LiveCluster node = use("4.1");
        Held held = hold(node, "netflix", "nb");
        node.cql()
                .execute("INSERT INTO " + held.keyspace()
                        + ".netflix (key, column1, value) VALUES ('not on disk', 1, 'v')");

        List<SSTable> pulled =
                pull(node, held, TokenRanges.FULL, work.resolve("memory")).run();

        assertThat(ContentDigest.of(pulled, TokenRanges.FULL).rows())
                .isEqualTo(ContentDigest.of(held.sstables(), TokenRanges.FULL).rows() + 1);
    }

    @Test
    void an_empty_table_gives_nothing_and_makes_nothing() throws Exception {
        LiveCluster node = use("4.1");
        UUID id = node.create(FIXTURES.resolve("kv").resolve("schema.cql"), "fx", "empty", "kv");
        var held = new Held("empty", "kv", id, List.of());

        assertThat(pull(node, held, TokenRanges.FULL, work.resolve("empty")).run())
                .isEmpty();
        assertThat(work.resolve("empty")).doesNotExist();
    }

    @Test
    void a_table_that_the_node_does_not_know_leaves_nothing() throws Exception {
        LiveCluster node = use("4.1");
        node.create(FIXTURES.resolve("kv").resolve("schema.cql"), "fx", "known", "kv");
        var unknown = new Held("known", "nothere", new UUID(5, 5), List.of());

        assertThatThrownBy(() -> pull(node, unknown, TokenRanges.FULL, work.resolve("unknown"))
                        .run())
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("the node failed the session");
        assertThat(work.resolve("unknown")).doesNotExist();
    }
}
