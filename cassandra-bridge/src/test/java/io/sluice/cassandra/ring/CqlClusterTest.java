package io.sluice.cassandra.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import com.datastax.oss.protocol.internal.ProtocolConstants.DataType;
import com.datastax.oss.protocol.internal.response.result.RawType;
import io.sluice.cassandra.ring.SmallCqlServer.Column;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is read of a cluster of two nodes, of which one answers, over a real socket. */
class CqlClusterTest {
    private static final RawType TEXT = Column.primitive(DataType.VARCHAR);

    private final AtomicLong tokenOfTheOther = new AtomicLong(100);
    private final AtomicInteger port = new AtomicInteger();

    private List<Column> row(String table) {
        return switch (table) {
            case "system.local" -> local();
            case "system.peers_v2" -> other();
            case "system_schema.keyspaces" -> keyspace();
            default -> List.of();
        };
    }

    private static List<Column> node(int number, long token) {
        return List.of(
                Column.of("host_id", DataType.UUID, TypeCodecs.UUID, new UUID(2, number)),
                Column.of("schema_version", DataType.UUID, TypeCodecs.UUID, new UUID(3, 3)),
                Column.text("data_center", "dc1"),
                Column.text("rack", "r1"),
                Column.text("release_version", "5.0.9"),
                Column.of(
                        "tokens",
                        new RawType.RawSet(TEXT),
                        TypeCodecs.setOf(TypeCodecs.TEXT),
                        Set.of(String.valueOf(token))));
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
                node(1, 0),
                Column.text("key", "local"),
                Column.text("cluster_name", "c"),
                Column.text("partitioner", "org.apache.cassandra.dht.Murmur3Partitioner"),
                inet("broadcast_address", 1),
                port("broadcast_port", 7000),
                inet("rpc_address", 1),
                port("rpc_port", port.get()));
    }

    private List<Column> other() {
        return with(
                node(2, tokenOfTheOther.get()),
                inet("peer", 2),
                port("peer_port", 7000),
                inet("native_address", 2),
                port("native_port", 1));
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

            tokenOfTheOther.set(200);

            assertThat(cluster.isAs(before)).isFalse();
            assertThatThrownBy(() -> cluster.view("shop"))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("the ring has changed since we connected");
        }
    }
}
