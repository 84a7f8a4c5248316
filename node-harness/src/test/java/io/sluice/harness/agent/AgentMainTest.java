package io.sluice.harness.agent;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.netty.StreamOptions;
import io.sluice.streaming.ring.Address;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.MBeanServerForwarder;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** An agent whose node does not let it in says why, in its log and to whoever asks it. */
@Timeout(120)
class AgentMainTest {
    private static final String HOST_ID = new UUID(6, 6).toString();

    @TempDir
    private Path folder = Path.of("");

    private final int jmxPort = FreePort.onLoopback();
    private final Address admin = new Address("127.0.0.1", FreePort.onLoopback());
    private final Logger logger = (Logger) LoggerFactory.getLogger(AgentMain.class);
    private final Level before = logger.getLevel();
    private final Warnings warnings = new Warnings();
    /** Attributes of the node that the login may read. */
    private final Map<String, Object> permitted = new ConcurrentHashMap<>();

    private Optional<Registry> registry = Optional.empty();
    private Optional<JMXConnectorServer> server = Optional.empty();

    AgentMainTest() throws IOException {}

    /** Lines that a person should look at. */
    private static final class Warnings extends AppenderBase<ILoggingEvent> {
        private final Queue<String> lines = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel() == Level.WARN) {
                lines.add(event.getFormattedMessage());
            }
        }
    }

    @BeforeEach
    void start() throws Exception {
        warnings.start();
        logger.addAppender(warnings);
        logger.setLevel(Level.WARN);
        registry = Optional.of(LocateRegistry.createRegistry(jmxPort));
        JMXAuthenticator authenticator = credentials -> {
            if (((String[]) credentials)[1].equals("right")) {
                return new Subject();
            }
            throw new SecurityException("Invalid password");
        };
        JMXConnectorServer jmx = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmxPort + "/jmxrmi"),
                Map.of(JMXConnectorServer.AUTHENTICATOR, authenticator),
                ManagementFactory.getPlatformMBeanServer());
        jmx.setMBeanServerForwarder(permittingFewReads());
        jmx.start();
        server = Optional.of(jmx);
    }

    /** As a node whose login may connect, and read what a test says. */
    private MBeanServerForwarder permittingFewReads() {
        return (MBeanServerForwarder) Proxy.newProxyInstance(
                AgentMainTest.class.getClassLoader(),
                new Class<?>[] {MBeanServerForwarder.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("setMBeanServer")) {
                        return null;
                    }
                    if (method.getName().equals("getAttribute")) {
                        return Optional.ofNullable(permitted.get(String.valueOf(arguments[1])))
                                .orElseThrow(() -> new SecurityException("Access Denied"));
                    }
                    return method.invoke(ManagementFactory.getPlatformMBeanServer(), arguments);
                });
    }

    @AfterEach
    void stop() throws Exception {
        logger.detachAppender(warnings);
        logger.setLevel(before);
        server.orElseThrow().stop();
        UnicastRemoteObject.unexportObject(registry.orElseThrow(), true);
    }

    @Test
    void a_wrong_password_is_named() throws Exception {
        assertReason("wrong", "Invalid password");
    }

    @Test
    void permissions_that_the_login_lacks_are_named() throws Exception {
        assertReason("right", "Access Denied (expected: a login that may query MBeans");
    }

    @Test
    void a_node_that_has_its_data_elsewhere_is_another_one() throws Exception {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        permitted.put("LocalHostId", HOST_ID);
        permitted.put("HostIdToEndpointWithPort", new HashMap<>(Map.of(HOST_ID, "127.0.0.1:7000")));
        permitted.put("AllDataFileLocations", new String[] {elsewhere.toString()});

        assertReason(
                "right",
                "the node at 127.0.0.1:" + jmxPort + " does not match --cassandra-yaml: its data directories are ["
                        + elsewhere + "], and cassandra.yaml has " + folder.resolve("data"));
    }

    @Test
    void a_node_that_the_ring_calls_otherwise_may_be_another_one_or_have_its_address_from_elsewhere() throws Exception {
        permitted.put("LocalHostId", HOST_ID);
        permitted.put("HostIdToEndpointWithPort", new HashMap<>(Map.of(HOST_ID, "127.0.0.2:7000")));
        permitted.put(
                "AllDataFileLocations", new String[] {folder.resolve("data").toString()});

        assertReason(
                "right",
                "the node at 127.0.0.1:" + jmxPort + " does not match --cassandra-yaml: it is 127.0.0.2:7000 in the"
                        + " ring, and cassandra.yaml has 127.0.0.1:7000 (expected: --jmx and --cassandra-yaml of one"
                        + " node; if it has its address from elsewhere, as its snitch or -Dcassandra.storage_port, a"
                        + " copy of the file with broadcast_address and storage_port as in the ring)");
    }

    @Test
    void a_node_that_the_ring_does_not_have_yet_is_the_one_of_its_folders() throws Exception {
        permitted.put("LocalHostId", HOST_ID);
        permitted.put("HostIdToEndpointWithPort", new HashMap<>());
        permitted.put(
                "AllDataFileLocations", new String[] {folder.resolve("data").toString()});

        assertReason("right", "it has no tables yet");
    }

    private void assertReason(String password, String reason) throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        AgentSettings settings = new AgentSettings(
                Optional.empty(),
                new CassandraYaml("127.0.0.1", "127.0.0.1", 7000, List.of(data), Optional.empty()),
                new NodeJmx.Target("127.0.0.1", jmxPort, Optional.of(new NodeJmx.Login("me", password))),
                new Address("127.0.0.1", FreePort.onLoopback()),
                admin,
                folder.resolve("token"),
                Duration.ofMinutes(1),
                2,
                true);
        Thread agent = new Thread(() -> run(settings), "agent");
        agent.start();
        try {
            await().until(() -> !agent.isAlive() || !warnings.lines.isEmpty());
            HttpResponse<String> health =
                    health(Files.readString(settings.tokenFile()).strip());

            assertThat(warnings.lines)
                    .first()
                    .asString()
                    .contains("127.0.0.1:" + jmxPort)
                    .contains(reason);
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body()).contains("has not answered yet").contains(reason);
        } finally {
            agent.interrupt();
            agent.join();
        }
    }

    private static void run(AgentSettings settings) {
        try {
            AgentMain.run(settings, StreamOptions::builder);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private HttpResponse<String> health(String token) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + admin + "/health"))
                .header("Authorization", "Bearer " + token)
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
