package io.sluice.harness.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.metadata.EndPoint;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The node that was named is known, by whichever address it is reached. */
class CqlTest {
    private static final UUID NAMED = new UUID(1, 1);
    private static final UUID OTHER = new UUID(2, 2);
    /** As with {@code rpc_address: 0.0.0.0}, or behind an address translation. */
    private static final InetSocketAddress REACHED = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9999);

    private static InetSocketAddress own(int last) {
        return new InetSocketAddress("10.0.0." + last, 9042);
    }

    private record At(InetSocketAddress address) implements EndPoint {
        @Override
        public SocketAddress resolve() {
            return address;
        }

        @Override
        public String asMetricPrefix() {
            return address.toString();
        }
    }

    private static Node node(InetSocketAddress reached, InetSocketAddress own) {
        return (Node) Proxy.newProxyInstance(
                CqlTest.class.getClassLoader(),
                new Class<?>[] {Node.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getEndPoint" -> new At(reached);
                    case "getBroadcastRpcAddress" -> Optional.of(own);
                    default -> own.toString();
                });
    }

    @Test
    void a_node_is_known_by_the_address_that_it_is_reached_by() throws IOException {
        Map<UUID, Node> nodes = Map.of(OTHER, node(own(2), own(2)), NAMED, node(REACHED, own(1)));

        assertThat(Cql.hostId(nodes, REACHED)).isEqualTo(NAMED);
    }

    @Test
    void an_address_of_no_node_is_refused() {
        assertThatThrownBy(() -> Cql.hostId(Map.of(OTHER, node(own(2), own(2))), REACHED))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no node of the ring is reached by CQL at " + REACHED + " (expected: an address")
                .hasMessageContaining("10.0.0.2");
    }
}
