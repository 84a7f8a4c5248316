package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.load.BulkLoad;
import io.sluice.cassandra.load.LoadOptions;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a load says of the columns of tables that a real node has. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class ColumnsInteropTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    private LiveCluster node;
    private CqlCluster cluster;
    private CassandraLinks links;
    private int keyspaces;

    @BeforeAll
    void start() throws IOException, InterruptedException {
        node = LiveCluster.start("5.0", options -> options);
        links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
        cluster = CqlCluster.connect(
                new CqlCluster.Contact(List.of(node.contact()), Optional.empty(), Optional.empty(), 7000));
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        if (node != null) {
            cluster.close();
            links.close();
            node.close();
        }
    }

    static Stream<Path> fixtures() throws IOException {
        try (Stream<Path> files = Files.list(FIXTURES)) {
            return files
                    .filter(fixture -> Files.isDirectory(fixture.resolve("da"))) // others are of other keyspaces
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void what_cassandra_wrote_is_planned_for_the_table_that_it_wrote(Path fixture) throws Exception {
        String table = String.valueOf(fixture.getFileName());
        String keyspace = create(fixture, table);

        assertThat(prepare(table, keyspace).deliveries()).hasSize(1);
        assertThat(cluster.view(keyspace).table(table).orElseThrow().columns().isEmpty())
                .as("not compared")
                .isEqualTo(table.equals("dense_nulls")); // has compact storage
    }

    @Test
    void a_column_may_be_dropped_and_must_be_known() throws Exception {
        String keyspace = create(FIXTURES.resolve("collections"), "collections");

        node.cql().execute("ALTER TABLE " + keyspace + ".collections DROP fu");
        node.cql().execute("ALTER TABLE " + keyspace + ".collections DROP ss");
        assertThat(prepare("collections", keyspace).deliveries()).hasSize(1);

        node.cql().execute("DROP TABLE " + keyspace + ".collections");
        node.cql().execute("CREATE TABLE " + keyspace + ".collections (k int, c int, v text, PRIMARY KEY (k, c))");
        assertThatThrownBy(() -> prepare("collections", keyspace))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA))
                .hasMessageContaining("which " + keyspace + ".collections has not");
    }

    @Test
    void tables_of_cassandra_itself_have_columns_that_are_known() {
        assertThat(cluster.view("system_auth").tables())
                .isNotEmpty()
                .allSatisfy(table -> assertThat(table.columns()).as("%s", table).isPresent());
        assertThat(cluster.view("system_distributed").tables())
                .allSatisfy(table -> assertThat(table.columns()).as("%s", table).isPresent());
    }

    private String create(Path fixture, String table) throws IOException {
        String keyspace = "columns" + keyspaces++;
        node.create(fixture.resolve("schema.cql"), "fx", keyspace, table);
        return keyspace;
    }

    private BulkLoad prepare(String fixture, String keyspace) throws IOException {
        Path table = folder.resolve(keyspace)
                .resolve(fixture + "-" + new UUID(1, 1).toString().replace("-", ""));
        if (!Files.exists(table)) {
            Files.createDirectories(table);
            try (Stream<Path> files = Files.walk(FIXTURES.resolve(fixture).resolve("da"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, table.resolve(file.getFileName()));
                }
            }
        }
        return BulkLoad.prepare(table, cluster, links, new LoadOptions(Optional.empty(), 0, 2, PATIENCE));
    }
}
