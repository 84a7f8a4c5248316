package io.sluice.harness.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.rmi.Remote;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.ObjectName;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** JMX of a node, asked by several at once, and after the connection was lost. */
@Timeout(60)
class NodeJmxTest {
    /** Each task has a thread of its own: the common pool may have a single one. */
    private static final Executor THREADS = task -> new Thread(task).start();

    private static final String BEAN = "io.sluice.test:type=Slow";

    private final Slow slow = new Slow();
    private final int port = FreePort.onLoopback();
    private final NodeJmx jmx = new NodeJmx(new NodeJmx.Target("127.0.0.1", port, Optional.empty()));
    private Optional<Registry> registry = Optional.empty();
    private Optional<JMXConnectorServer> server = Optional.empty();

    NodeJmxTest() throws IOException {}

    /** What the bean does. */
    public interface SlowMBean {
        /** At once. */
        String getQuick();

        /** Its answer gets lost: it cannot be sent. */
        Object countAndLose();

        /** With a reason of a class that is not known here. */
        void refuse();

        /** When the test lets it. */
        void importAll() throws InterruptedException;
    }

    /** Is not known where it is read. */
    private static final class OfTheNode extends IllegalStateException {
        private static final long serialVersionUID = 1;

        private void readObject(ObjectInputStream in) throws ClassNotFoundException {
            throw new ClassNotFoundException("org.example.NotHere");
        }
    }

    /** An order that takes as long as the test wants. */
    public static final class Slow implements SlowMBean {
        private final AtomicInteger counted = new AtomicInteger();
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);

        @Override
        public String getQuick() {
            return "quick";
        }

        @Override
        public Object countAndLose() {
            counted.incrementAndGet();
            return new Object();
        }

        @Override
        public void refuse() {
            throw new IllegalStateException("no", new OfTheNode());
        }

        @Override
        public void importAll() throws InterruptedException {
            begun.countDown();
            mayEnd.await();
        }
    }

    @BeforeEach
    void register() throws Exception {
        ManagementFactory.getPlatformMBeanServer().registerMBean(slow, new ObjectName(BEAN));
        registry = Optional.of(LocateRegistry.createRegistry(port));
        start();
    }

    private void start() throws IOException {
        JMXConnectorServer next = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"),
                null,
                ManagementFactory.getPlatformMBeanServer());
        next.start();
        server = Optional.of(next);
    }

    @AfterEach
    void unregister() throws Exception {
        slow.mayEnd.countDown();
        jmx.close();
        server.orElseThrow().stop();
        UnicastRemoteObject.unexportObject(registry.orElseThrow(), true);
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(BEAN));
    }

    @Test
    void a_question_does_not_wait_for_an_order_that_takes_long() throws Exception {
        CompletableFuture<Void> order = CompletableFuture.runAsync(this::importAll, THREADS);
        slow.begun.await();

        String answer = CompletableFuture.supplyAsync(this::quick, THREADS).get(10, TimeUnit.SECONDS);

        assertThat(answer).isEqualTo("quick");
        assertThat(order).isNotDone();
    }

    @Test
    void a_connection_that_was_lost_is_made_anew() throws Exception {
        assertThat(quick()).isEqualTo("quick");

        server.orElseThrow().stop();
        start();

        assertThat(quick()).isEqualTo("quick");
    }

    @Test
    void an_order_that_must_not_run_twice_is_not_repeated_if_its_answer_is_lost() {
        assertThat(quick()).isEqualTo("quick");

        assertThatThrownBy(() -> jmx.invokeOnce(BEAN, "countAndLose", new Object[0]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "countAndLose at the node at 127.0.0.1:" + port + ": no answer, it may still run");
        assertThat(slow.counted).hasValue(1);
        assertThat(quick()).isEqualTo("quick");
    }

    @Test
    void a_refusal_of_a_class_that_is_not_known_here_is_an_answer() {
        assertThatThrownBy(() -> jmx.invokeOnce(BEAN, "refuse", new Object[0]))
                .isInstanceOf(IOException.class)
                .hasMessage("refuse at the node at 127.0.0.1:" + port
                        + ": ended with org.example.NotHere, a class that is not known here (see its log)");
    }

    @Test
    void an_order_that_must_not_run_twice_survives_a_connection_that_was_lost_before() throws Exception {
        assertThat(quick()).isEqualTo("quick");

        server.orElseThrow().stop();
        start();
        slow.mayEnd.countDown();

        jmx.invokeOnce(BEAN, "importAll", new Object[0]);
        assertThat(slow.begun.getCount()).isZero();
    }

    /** What the registry has of a node that is just starting. */
    private static final class NotYet implements Remote, Serializable {
        private static final long serialVersionUID = 1;

        private @Nullable Object readResolve() {
            return null;
        }
    }

    @Test
    void a_node_that_is_not_running_is_said_to_refuse_connections_and_no_more() throws Exception {
        int closed = FreePort.onLoopback();
        try (NodeJmx nobody = new NodeJmx(new NodeJmx.Target("127.0.0.1", closed, Optional.empty()))) {
            assertThatThrownBy(() -> nobody.attribute(BEAN, "Quick"))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("cannot connect to JMX at 127.0.0.1:" + closed
                            + ": Connection refused to host: 127.0.0.1: java.net.ConnectException: Connection refused"
                            + " (expected: a running Cassandra, ");
        }
    }

    @Test
    void a_node_that_is_just_starting_cannot_be_connected_to_yet() throws Exception {
        server.orElseThrow().stop();
        registry.orElseThrow().bind("jmxrmi", new NotYet());

        assertThatThrownBy(() -> jmx.attribute(BEAN, "Quick"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot connect to JMX at 127.0.0.1:" + port + ": the node is still starting");

        registry.orElseThrow().unbind("jmxrmi");
        start();
        assertThat(quick()).isEqualTo("quick");
    }

    @Test
    void what_a_node_does_not_have_is_named() {
        assertThatThrownBy(() -> jmx.attribute("io.sluice.test:type=None", "Quick"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the node at 127.0.0.1:" + port + " has no io.sluice.test:type=None");
    }

    private void importAll() {
        try {
            jmx.invoke(BEAN, "importAll", new Object[0]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private String quick() {
        try {
            return String.valueOf(jmx.attribute(BEAN, "Quick"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
