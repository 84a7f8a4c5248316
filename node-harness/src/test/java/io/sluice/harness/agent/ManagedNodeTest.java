package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
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

    private interface Use {
        void of(ManagedNode node) throws IOException;
    }

    private static void use(MBeanServer beans, Use use) throws IOException {
        int port = FreePort.onLoopback();
        Registry registry = LocateRegistry.createRegistry(port);
        JMXConnectorServer server = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"), null, beans);
        server.start();
        try (NodeJmx jmx = new NodeJmx(new NodeJmx.Target("127.0.0.1", port, Optional.empty()))) {
            use.of(new ManagedNode(jmx));
        } finally {
            server.stop();
            UnicastRemoteObject.unexportObject(registry, true);
        }
    }

    @Test
    void the_dead_node_is_read_from_the_options_of_the_nodes_jvm() throws IOException {
        try {
            use(ManagementFactory.getPlatformMBeanServer(), node -> {
                assertThat(node.replaces(7000)).isEmpty();

                System.setProperty(OPTION, "10.0.0.3");

                assertThat(node.replaces(7000)).contains("10.0.0.3:7000");
            });
        } finally {
            System.clearProperty(OPTION);
        }
    }

    /** What is called of a node's beans. */
    public interface OrdersMBean {
        /** Of a table. */
        void takeSnapshot(String tag, Map<String, String> options, String... tables) throws IOException;

        /** Of a keyspace. */
        void clearSnapshot(String tag, String... keyspaces) throws IOException;

        /** Of folders. */
        List<String> importNewSSTables(
                Set<String> folders, boolean a, boolean b, boolean c, boolean d, boolean e, boolean f, boolean g)
                throws IOException;
    }

    /** Notes the classes of all arguments, as they were sent. */
    public static final class Orders implements OrdersMBean {
        private final Set<String> classes = new TreeSet<>();

        @Override
        public void takeSnapshot(String tag, Map<String, String> options, String... tables) throws IOException {
            note(tag, options, tables);
        }

        @Override
        public void clearSnapshot(String tag, String... keyspaces) throws IOException {
            note(tag, keyspaces);
        }

        @Override
        public List<String> importNewSSTables(
                Set<String> folders, boolean a, boolean b, boolean c, boolean d, boolean e, boolean f, boolean g)
                throws IOException {
            note(folders);
            return new ArrayList<>();
        }

        private void note(Object... arguments) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(arguments);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
                @Override
                protected Class<?> resolveClass(ObjectStreamClass sent) throws IOException, ClassNotFoundException {
                    classes.add(sent.getName());
                    return super.resolveClass(sent);
                }
            }) {
                Object unused = in.readObject();
            } catch (ClassNotFoundException e) {
                throw new IOException(e);
            }
        }
    }

    @Test
    void a_node_on_java_8_knows_the_classes_of_what_it_is_sent() throws Exception {
        Orders orders = new Orders();
        MBeanServer beans = MBeanServerFactory.newMBeanServer();
        beans.registerMBean(orders, new ObjectName("org.apache.cassandra.db:type=StorageService"));
        beans.registerMBean(orders, new ObjectName("org.apache.cassandra.db:type=Tables,keyspace=shop,table=users"));
        TableRef users = new TableRef(new UUID(3, 3), "shop", "users");

        use(beans, node -> {
            node.takeSnapshot("tag", users);
            node.clearSnapshot("tag", "shop");
            node.importSSTables(users, List.of(Path.of("a"), Path.of("b")));
        });

        assertThat(orders.classes)
                .isSubsetOf("[Ljava.lang.Object;", "[Ljava.lang.String;", "java.util.HashMap", "java.util.HashSet")
                .contains("java.util.HashMap", "java.util.HashSet");
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
