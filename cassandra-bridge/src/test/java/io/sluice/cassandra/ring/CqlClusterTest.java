package io.sluice.cassandra.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import com.datastax.oss.protocol.internal.ProtocolConstants.DataType;
import com.datastax.oss.protocol.internal.response.result.RawType;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.sluice.cassandra.net.CassandraTls;
import io.sluice.cassandra.ring.SmallCqlServer.Column;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType;
import io.sluice.streaming.StreamException;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of a cluster of two nodes, of which one answers, over a real socket. */
class CqlClusterTest {
    private static final RawType TEXT = Column.primitive(DataType.VARCHAR);

    private volatile Set<String> tokens = Set.of("0");
    private volatile List<Column> peer = other("100");
    private final AtomicInteger port = new AtomicInteger();

    private List<Column> row(String table) {
        return switch (table) {
            case "system.local" -> local();
            case "system.peers_v2" -> peer;
            case "system_schema.keyspaces" -> keyspace();
            case "system_schema.tables" -> users();
            case "system_schema.columns" -> key();
            case "system_schema.dropped_columns" ->
                List.of(Column.text("table_name", "users"), Column.text("column_name", "note"));
            default -> List.of();
        };
    }

    private static List<Column> node(int number, @Nullable Set<String> tokens) {
        return List.of(
                Column.of("host_id", DataType.UUID, TypeCodecs.UUID, new UUID(2, number)),
                Column.of("schema_version", DataType.UUID, TypeCodecs.UUID, new UUID(3, 3)),
                Column.text("data_center", "dc1"),
                Column.text("rack", "r1"),
                Column.text("release_version", "5.0.9"),
                Column.of("tokens", new RawType.RawSet(TEXT), TypeCodecs.setOf(TypeCodecs.TEXT), tokens));
    }

    private static List<Column> with(List<Column> node, Column... more) {
        return Stream.concat(node.stream(), Stream.of(more)).toList();
    }

    private static Column inet(String name, int number) {
        return Column.of(name, DataType.INET, TypeCodecs.INET, loopback(number));
    }

    private static InetAddress loopback(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) number});
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Column port(String name, int port) {
        return Column.of(name, DataType.INT, TypeCodecs.INT, port);
    }

    private List<Column> local() {
        return with(
                node(1, tokens),
                Column.text("key", "local"),
                Column.text("cluster_name", "c"),
                Column.text("partitioner", "org.apache.cassandra.dht.Murmur3Partitioner"),
                inet("broadcast_address", 1),
                port("broadcast_port", 7000),
                inet("rpc_address", 1),
                port("rpc_port", port.get()));
    }

    private static List<Column> other(String token) {
        return with(withoutCql(2, Set.of(token)), inet("native_address", 2), port("native_port", 1));
    }

    /** The driver ignores such a row: it does not say where the node answers. */
    private static List<Column> withoutCql(int number, @Nullable Set<String> tokens) {
        return with(node(number, tokens), inet("peer", 2), port("peer_port", 7000));
    }

    private static List<Column> keyspace() {
        return List.of(
                Column.text("keyspace_name", "shop"),
                Column.of("durable_writes", DataType.BOOLEAN, TypeCodecs.BOOLEAN, true),
                Column.of(
                        "replication",
                        new RawType.RawMap(TEXT, TEXT),
                        TypeCodecs.mapOf(TypeCodecs.TEXT, TypeCodecs.TEXT),
                        Map.of("class", "org.apache.cassandra.locator.SimpleStrategy", "replication_factor", "1")));
    }

    private static List<Column> users() {
        return List.of(
                Column.text("keyspace_name", "shop"),
                Column.text("table_name", "users"),
                Column.of("id", DataType.UUID, TypeCodecs.UUID, new UUID(4, 4)),
                Column.of("flags", new RawType.RawSet(TEXT), TypeCodecs.setOf(TypeCodecs.TEXT), Set.of("compound")));
    }

    private static List<Column> key() {
        return List.of(
                Column.text("keyspace_name", "shop"),
                Column.text("table_name", "users"),
                Column.text("column_name", "name"),
                Column.text("clustering_order", "none"),
                Column.text("kind", "partition_key"),
                port("position", 0),
                Column.text("type", "text"));
    }

    private CqlCluster connect(SmallCqlServer server) throws IOException {
        port.set(server.address().getPort());
        return CqlCluster.connect(
                new CqlCluster.Contact(List.of(server.address()), Optional.empty(), Optional.empty(), 7000));
    }

    @Test
    void a_node_that_moves_is_noticed_although_no_schema_changes() throws Exception {
        try (SmallCqlServer server = new SmallCqlServer(this::row);
                CqlCluster cluster = connect(server)) {
            ClusterView before = cluster.view("shop");
            assertThat(before.owned()).hasSize(2);
            assertThat(cluster.isAs(before)).as("before anything happens").isTrue();

            peer = other("200");

            assertThat(cluster.isAs(before)).isFalse();
            assertThatThrownBy(() -> cluster.view("shop"))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("the ring has changed since we connected");
        }
    }

    @Test
    void a_cluster_of_one_node_with_one_token_has_a_view() throws Exception {
        peer = List.of();
        try (SmallCqlServer server = new SmallCqlServer(this::row);
                CqlCluster cluster = connect(server)) {
            ClusterView view = cluster.view("shop");

            assertThat(view.owned().values()).containsExactly(TokenRanges.FULL);
            assertThat(cluster.isAs(view)).isTrue();
        }
    }

    @Test
    void a_row_that_is_left_over_from_a_node_hides_no_tokens() throws Exception {
        tokens = Set.of("0", "50");
        peer = withoutCql(1, null);
        try (SmallCqlServer server = new SmallCqlServer(this::row);
                CqlCluster cluster = connect(server)) {
            assertThat(cluster.view("shop").owned()).hasSize(1);
        }
    }

    @Test
    void a_row_of_the_node_that_answers_among_its_peers_hides_no_tokens() throws Exception {
        tokens = Set.of("0", "50");
        peer = withoutCql(1, Set.of("7"));
        try (SmallCqlServer server = new SmallCqlServer(this::row);
                CqlCluster cluster = connect(server)) {
            assertThat(cluster.view("shop").owned()).hasSize(1);
        }
    }

    @Test
    void ranges_of_a_node_that_the_driver_ignores_are_given_to_no_other() throws Exception {
        peer = withoutCql(2, Set.of("100"));
        try (SmallCqlServer server = new SmallCqlServer(this::row);
                CqlCluster cluster = connect(server)) {
            assertThatThrownBy(() -> cluster.view("shop"))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("the ring has changed since we connected");
        }
    }

    @Test
    void a_node_that_the_driver_ignores_is_named_with_what_its_row_may_lack() throws Exception {
        peer = with(
                other("100").stream()
                        .filter(column -> !column.name().equals("schema_version"))
                        .toList(),
                Column.of("schema_version", DataType.UUID, TypeCodecs.UUID, null));
        try (SmallCqlServer server = new SmallCqlServer(this::row);
                CqlCluster cluster = connect(server)) {
            assertThatThrownBy(() -> cluster.view("shop"))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("schema_version")
                    .hasMessageContaining("native_port")
                    .hasMessageContaining(new UUID(2, 2).toString())
                    .message()
                    .doesNotContain(new UUID(2, 1).toString());
        }
    }

    @Test
    void a_node_that_joins_is_noticed_before_the_driver_knows_it() throws Exception {
        tokens = Set.of("0", "50");
        peer = List.of();
        try (SmallCqlServer server = new SmallCqlServer(this::row);
                CqlCluster cluster = connect(server)) {
            ClusterView before = cluster.view("shop");
            assertThat(cluster.isAs(before)).as("before anything happens").isTrue();

            peer = other("100");

            assertThat(cluster.isAs(before)).isFalse();
        }
    }

    @Test
    void a_table_has_its_columns_and_the_names_of_dropped_ones() throws Exception {
        try (SmallCqlServer server = new SmallCqlServer(this::row);
                CqlCluster cluster = connect(server)) {
            LiveTable users = cluster.view("shop").table("users").orElseThrow();

            assertThat(users.columns())
                    .contains(new LiveColumns(
                            List.of(io.sluice.sstable.data.Column.of("name", CqlType.Scalar.TEXT)),
                            List.of(),
                            List.of(),
                            List.of(),
                            Set.of(Bytes.utf8("note"))));
        }
    }

    private static CertificateBuilder certificate(String name) {
        return new CertificateBuilder().subject("CN=" + name).ecp256();
    }

    private static X509Bundle authority() throws Exception {
        return certificate("authority").setIsCertificateAuthority(true).buildSelfSigned();
    }

    private SmallCqlServer encrypted(X509Bundle identity) throws Exception {
        peer = List.of();
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(identity.toKeyManagerFactory().getKeyManagers(), null, null);
        return new SmallCqlServer(this::row, context.getServerSocketFactory());
    }

    private CqlCluster connect(SmallCqlServer server, String host, X509Bundle trusted, boolean verifiesHost)
            throws Exception {
        port.set(server.address().getPort());
        var tls = new CassandraTls(trusted.toTrustManagerFactory(), Optional.empty(), verifiesHost);
        return CqlCluster.connect(new CqlCluster.Contact(
                List.of(new InetSocketAddress(host, port.get())),
                Optional.of(new CqlCluster.Credentials("me", "secret")),
                Optional.of(tls),
                7000));
    }

    /** The address has a name that the certificate does not have: nobody asked for that name. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost"})
    void a_certificate_that_names_the_host_as_it_was_given_is_accepted(String host) throws Exception {
        CertificateBuilder node = certificate("node");
        node = host.equals("localhost") ? node.addSanDnsName(host) : node.addSanIpAddress(host);
        X509Bundle authority = authority();
        try (SmallCqlServer server = encrypted(node.buildIssuedBy(authority));
                CqlCluster cluster = connect(server, host, authority, true)) {
            assertThat(cluster.nodes()).hasSize(1);
        }
    }

    @Test
    void a_certificate_that_names_another_host_is_refused_before_the_login() throws Exception {
        X509Bundle authority = authority();
        CertificateBuilder node = certificate("node").addSanDnsName("other.example");
        try (SmallCqlServer server = encrypted(node.buildIssuedBy(authority))) {
            assertThatThrownBy(() -> connect(server, "127.0.0.1", authority, true))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("No subject alternative names matching IP address 127.0.0.1")
                    .hasMessageEndingWith(
                            " (expected: a host by the name that its certificate has, or no --verify-host)");
            assertThat(server.startups()).isZero();

            connect(server, "127.0.0.1", authority, false).close();
            assertThat(server.startups()).isPositive();
        }
    }

    private static CqlCluster connect(InetSocketAddress address, Optional<CassandraTls> tls) throws IOException {
        return CqlCluster.connect(new CqlCluster.Contact(List.of(address), Optional.empty(), tls, 7000));
    }

    @Test
    void of_a_node_that_is_down_nothing_is_said_of_login_and_tls() throws Exception {
        int nobody = FreePort.onLoopback();

        assertThatThrownBy(() -> connect(new InetSocketAddress(loopback(1), nobody), Optional.empty()))
                .hasMessage("cannot connect over CQL to 127.0.0.1:" + nobody
                        + ": nobody answers there (expected: host[:port] of a running node)");
    }

    /** It is named as it was given, not as DNS calls the address. */
    @Test
    void a_certificate_that_is_not_trusted_is_no_matter_of_the_address_or_the_login() throws Exception {
        try (SmallCqlServer server = encrypted(certificate("node").buildIssuedBy(authority()))) {
            X509Bundle another =
                    certificate("another").setIsCertificateAuthority(true).buildSelfSigned();
            assertThatThrownBy(() -> connect(server, "127.0.0.1", another, false))
                    .hasMessage("cannot connect over CQL to 127.0.0.1:" + port
                            + ": unable to find valid certification path to requested target (expected: a certificate"
                            + " that --truststore trusts; --keystore if it requires our certificate)");
        }
    }

    @Test
    void a_node_that_is_not_encrypted_is_said_to_be_that() throws Exception {
        try (ServerSocket node = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread plain = new Thread(() -> answerPlain(node));
            plain.start();
            var tls = new CassandraTls(authority().toTrustManagerFactory(), Optional.empty(), false);

            assertThatThrownBy(() -> connect((InetSocketAddress) node.getLocalSocketAddress(), Optional.of(tls)))
                    .hasMessageEndingWith(": its CQL is not encrypted (expected: TLS at both ends, or at none)");
            plain.join();
        }
    }

    /** As a node does that takes a hello of TLS for a frame. */
    private static void answerPlain(ServerSocket node) {
        try (Socket connection = node.accept()) {
            int version = 0x84;
            connection.getOutputStream().write(new byte[] {(byte) version, 0, 0, 0, 0, 0, 0, 0, 0});
            connection.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
