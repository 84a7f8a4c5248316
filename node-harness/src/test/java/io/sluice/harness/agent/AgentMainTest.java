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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
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
    @TempDir
    private Path folder = Path.of("");

    private final int jmxPort = FreePort.onLoopback();
    private final Address admin = new Address("127.0.0.1", FreePort.onLoopback());
    private final Logger logger = (Logger) LoggerFactory.getLogger(AgentMain.class);
    private final Level before = logger.getLevel();
    private final Warnings warnings = new Warnings();
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
        jmx.setMBeanServerForwarder(permittingNoReads());
        jmx.start();
        server = Optional.of(jmx);
    }

    /** As a node whose login may connect and no more. */
    private static MBeanServerForwarder permittingNoReads() {
        return (MBeanServerForwarder) Proxy.newProxyInstance(
                AgentMainTest.class.getClassLoader(),
                new Class<?>[] {MBeanServerForwarder.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("setMBeanServer")) {
                        return null;
                    }
                    if (method.getName().equals("getAttribute")) {
                        throw new SecurityException("Access Denied");
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
