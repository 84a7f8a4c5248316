package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.cassandra.load.BulkLoad;
import io.sluice.cassandra.load.LoadOptions;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.CassandraTls;
import io.sluice.cassandra.receive.Pull;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.harness.cassandra.Cql;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A node that wants a login, and certificates of everybody, for CQL and for streams. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SecureInteropTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures")
            .toAbsolutePath();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(10);
    private static final Optional<CqlCluster.Credentials> LOGIN =
            Optional.of(new CqlCluster.Credentials("cassandra", "cassandra"));

    private Path work = Path.of("");
    private Certificates certificates = new Certificates(work);
    private LiveCluster cluster;
    private CassandraTls tls;
    private int keyspaces;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException, InterruptedException {
        work = folder;
        certificates = Certificates.in(folder);
        tls = certificates.ours();
        String yaml =
                "authenticator: PasswordAuthenticator\n" + certificates.streamingYaml() + certificates.clientYaml();
        cluster = LiveCluster.start("5.0", options -> options.withYaml(yaml), this::connectOnceThereIsALogin);
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** A new node makes its first user after it has begun to listen. */
    private Cql connectOnceThereIsALogin(InetSocketAddress node) {
        return await().pollInterval(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> Cql.connect(node, LOGIN, Optional.of(tls)), connected -> true);
    }

    private CqlCluster.Contact contact(Optional<CqlCluster.Credentials> login) {
        return new CqlCluster.Contact(List.of(cluster.contact()), login, Optional.of(tls), 7000);
    }

    @Test
    void what_is_loaded_is_pulled_again() throws Exception {
        String keyspace = "secure" + keyspaces++;
        UUID id = cluster.create(FIXTURES.resolve("netflix_lz4").resolve("schema.cql"), "fx", keyspace, "netflix_lz4");
        TableDirectory folder = TableDirectory.find(
                        FIXTURES.resolve("netflix_lz4").resolve("nb"))
                .get(0);
        SSTable sent = SSTable.open(folder.path(), folder.descriptors().get(0));
        try (CqlCluster seen = CqlCluster.connect(contact(LOGIN));
                CassandraLinks links = CassandraLinks.create(Optional.of(tls), 1, PATIENCE)) {
            BulkLoad load = BulkLoad.prepare(
                    folder.path(), seen, links, new LoadOptions(Optional.of(keyspace), 0, 2, PATIENCE));
            assertThat(load.run())
                    .allSatisfy(result -> assertThat(result.failure()).isEmpty());
            var order = new Pull.Order(
                    cluster.options().storage(1),
                    keyspace,
                    "netflix_lz4",
                    id,
                    TokenRanges.FULL,
                    work.resolve("pulled"),
                    PATIENCE);

            List<SSTable> pulled = new Pull(order, links).run();

            assertThat(ContentDigest.of(pulled, TokenRanges.FULL))
                    .isEqualTo(ContentDigest.of(List.of(sent), TokenRanges.FULL));
        }
    }

    @Test
    void plain_streams_are_refused_with_a_hint() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, SHORT)) {
            assertThatThrownBy(() -> links.connect(cluster.options().storage(1), Optional.empty()))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("does the node accept plain connections?");
        }
    }

    @Test
    void a_node_that_nobody_vouches_for_is_not_believed() throws Exception {
        CassandraTls strangers =
                CassandraTls.of(certificates.store("us.p12"), Optional.of(certificates.store("us.p12")), false);
        try (CassandraLinks links = CassandraLinks.create(Optional.of(strangers), 1, SHORT)) {
            assertThatThrownBy(() -> links.connect(cluster.options().storage(1), Optional.empty()))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("does each side trust the other's certificate?");
        }
    }

    @Test
    void a_wrong_password_is_told() {
        assertThatThrownBy(() ->
                        CqlCluster.connect(contact(Optional.of(new CqlCluster.Credentials("cassandra", "wrong")))))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("password are incorrect");
    }
}
