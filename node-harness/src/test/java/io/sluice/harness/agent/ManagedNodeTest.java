package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Optional;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.Test;

/** What a node says, in the words of the ring. */
class ManagedNodeTest {
    private static final String OPTION = "cassandra.replace_address_first_boot";

    @Test
    void the_dead_node_is_named_as_the_ring_names_it() throws IOException {
        assertThat(ManagedNode.endpoint("10.0.0.3", 7000)).isEqualTo("10.0.0.3:7000");
        assertThat(ManagedNode.endpoint("10.0.0.3:7100", 7000)).isEqualTo("10.0.0.3:7100");
        assertThat(ManagedNode.endpoint("[::1]:7100", 7000)).isEqualTo("[0:0:0:0:0:0:0:1]:7100");
        assertThat(ManagedNode.endpoint("::1", 7000)).isEqualTo("[0:0:0:0:0:0:0:1]:7000");
    }

    @Test
    void the_dead_node_is_read_from_the_options_of_the_nodes_jvm() throws IOException {
        int port = FreePort.onLoopback();
        Registry registry = LocateRegistry.createRegistry(port);
        JMXConnectorServer server = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"),
                null,
                ManagementFactory.getPlatformMBeanServer());
        server.start();
        try (NodeJmx jmx = new NodeJmx(new NodeJmx.Target("127.0.0.1", port, Optional.empty()))) {
            ManagedNode node = new ManagedNode(jmx);
            assertThat(node.replaces(7000)).isEmpty();

            System.setProperty(OPTION, "10.0.0.3");

            assertThat(node.replaces(7000)).contains("10.0.0.3:7000");
        } finally {
            System.clearProperty(OPTION);
            server.stop();
            UnicastRemoteObject.unexportObject(registry, true);
        }
    }

    @Test
    void what_is_no_address_is_named() {
        assertThatThrownBy(() -> ManagedNode.endpoint("10.0.0.3:x", 7000))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cassandra.replace_address_first_boot '10.0.0.3:x'");
    }

    @Test
    void a_conditional_write_may_contend_first_and_then_take_as_long_as_any() {
        assertThat(ManagedNode.longest(2_000, 5_000, 1_800)).isEqualTo(5_000);
        assertThat(ManagedNode.longest(2_000, 2_000, 1_800)).isEqualTo(3_800);
    }
}
