package io.sluice.harness.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.security.TrialAuthority;
import io.sluice.tools.FreePort;
import io.sluice.tools.JavaCommand;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import javax.management.ObjectName;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXPrincipal;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.rmi.ssl.SslRMIClientSocketFactory;
import javax.rmi.ssl.SslRMIServerSocketFactory;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** JMX over TLS with login and certificates, and what is said if one of them does not fit. */
@Timeout(60)
class JmxTlsTest {
    static final String BEAN = "io.sluice.test:type=Quick";
    private static final String LONG = "30000";

    @TempDir
    private Path folder = Path.of("");

    private final int port = FreePort.onLoopback();
    private final Quick quick = new Quick();
    private Optional<Registry> registry = Optional.empty();
    private Optional<JMXConnectorServer> server = Optional.empty();

    JmxTlsTest() throws IOException {}

    /** What the bean does. */
    public interface QuickMBean {
        /** When it may. */
        String getQuick() throws InterruptedException;
    }

    /** Answers at once, unless it is frozen. */
    public static final class Quick implements QuickMBean {
        private volatile CountDownLatch frozen = new CountDownLatch(0);

        @Override
        public String getQuick() throws InterruptedException {
            frozen.await();
            return "quick";
        }
    }

    @BeforeEach
    void register() throws Exception {
        ManagementFactory.getPlatformMBeanServer().registerMBean(quick, new ObjectName(BEAN));
        certificates("ours");
    }

    @AfterEach
    void stop() throws Exception {
        quick.frozen.countDown();
        if (server.isPresent()) {
            server.get().stop();
        }
        if (registry.isPresent()) {
            UnicastRemoteObject.unexportObject(registry.get(), true);
        }
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(BEAN));
    }

    private void certificates(String authority) throws IOException {
        TrialAuthority issuer = new TrialAuthority(folder.resolve(authority));
        for (String name : List.of("node", "agent")) {
            issuer.issue(name, "127.0.0.1", new UUID(0, name.hashCode()));
            issuer.store(name, JmxProbe.PASSWORD);
        }
    }

    private SSLContext context() throws Exception {
        char[] password = JmxProbe.PASSWORD.toCharArray();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(folder.resolve("ours/node.p12").toFile(), password), password);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(KeyStore.getInstance(folder.resolve("ours/trust.p12").toFile(), password));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private void startWithTls(boolean asksForCertificate, Optional<String> password) throws Exception {
        SslRMIServerSocketFactory sockets = new SslRMIServerSocketFactory(context(), null, null, asksForCertificate);
        SslRMIClientSocketFactory clients = new SslRMIClientSocketFactory();
        start(
                new RMIJRMPServerImpl(0, clients, sockets, environment(password)),
                LocateRegistry.createRegistry(port, clients, sockets),
                password);
    }

    private void startPlain(Optional<String> password) throws Exception {
        start(
                new RMIJRMPServerImpl(0, null, null, environment(password)),
                LocateRegistry.createRegistry(port),
                password);
    }

    private void start(RMIJRMPServerImpl server, Registry registry, Optional<String> password) throws Exception {
        JMXConnectorServer started = new RMIConnectorServer(
                new JMXServiceURL("rmi", "127.0.0.1", 0),
                environment(password),
                server,
                ManagementFactory.getPlatformMBeanServer());
        started.start();
        registry.bind("jmxrmi", server.toStub());
        this.server = Optional.of(started);
        this.registry = Optional.of(registry);
    }

    private static Map<String, Object> environment(Optional<String> password) {
        Map<String, Object> environment = new HashMap<>();
        password.ifPresent(wanted ->
                environment.put(JMXConnectorServer.AUTHENTICATOR, (JMXAuthenticator) credentials -> {
                    if (credentials instanceof String[] login && List.of(login).equals(List.of("me", wanted))) {
                        Subject subject = new Subject();
                        subject.getPrincipals().add(new JMXPrincipal("me"));
                        return subject;
                    }
                    throw new SecurityException("Authentication failed! Invalid username or password");
                }));
        return environment;
    }

    private String probe(String waitMillis, String login, String stores, String key) throws IOException {
        String trust = stores.isEmpty() ? "" : folder.resolve(stores).toString();
        Process process = JavaCommand.process(
                        List.of("-Xmx64m", "-XX:+UseSerialGC"), JmxProbe.class, port, waitMillis, login, trust, key)
                .redirectErrorStream(true)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    @Test
    void a_node_with_tls_and_a_login_answers_and_a_wrong_password_is_told() throws Exception {
        startWithTls(false, Optional.of("right"));

        assertThat(probe(LONG, "right", "ours", "")).isEqualTo("answer: quick");
        assertThat(probe(LONG, "wrong", "ours", ""))
                .startsWith("error: cannot connect to JMX at 127.0.0.1:" + port
                        + ": Authentication failed! Invalid username or password (expected: a running Cassandra,")
                .contains("its login if required");
    }

    @Test
    void a_node_that_asks_for_a_certificate_gets_one() throws Exception {
        startWithTls(true, Optional.empty());

        assertThat(probe(LONG, "", "ours", "agent")).isEqualTo("answer: quick");
        assertThat(probe(LONG, "", "ours", "")).startsWith("error: cannot connect to JMX at 127.0.0.1:" + port);
    }

    @Test
    void a_node_that_is_not_trusted_gets_no_login() throws Exception {
        certificates("theirs");
        startWithTls(false, Optional.of("right"));

        assertThat(probe(LONG, "right", "theirs", ""))
                .startsWith("error: cannot connect to JMX at 127.0.0.1:" + port)
                .contains("SSLHandshakeException")
                .contains("its certificate in --jmx-truststore");
    }

    @Test
    void a_plain_node_is_refused_if_tls_is_wanted() throws Exception {
        startPlain(Optional.empty());

        assertThat(probe(LONG, "", "", "")).isEqualTo("answer: quick");
        assertThat(probe(LONG, "", "ours", ""))
                .startsWith("error: cannot connect to JMX at 127.0.0.1:" + port)
                .contains("TLS at its registry, too");
    }

    @Test
    @Tag("full")
    void a_frozen_node_does_not_keep_its_caller_for_ever() throws Exception {
        startPlain(Optional.empty());
        quick.frozen = new CountDownLatch(1);

        assertThat(probe("1000", "", "", "")).startsWith("error: ").contains("Read timed out");
    }

    @Test
    @Tag("full")
    void a_port_that_never_speaks_does_not_keep_its_caller_for_ever() throws Exception {
        try (ServerSocket silent = new ServerSocket(port, 10, InetAddress.getLoopbackAddress())) {
            assertThat(silent.isBound()).isTrue();
            assertThat(probe("1000", "", "", ""))
                    .startsWith("error: cannot connect to JMX at 127.0.0.1:" + port)
                    .contains("Read timed out");
        }
    }

    @Test
    void a_store_that_cannot_be_opened_is_named() throws Exception {
        Path text = Files.writeString(folder.resolve("text.p12"), "no store");
        Path good = folder.resolve("ours/trust.p12");

        assertThatThrownBy(() -> new JmxTls(new JmxTls.Store(text, "x"), Optional.empty()).useInThisProcess())
                .hasMessageContaining("text.p12");
        assertThatThrownBy(() -> new JmxTls(new JmxTls.Store(folder.resolve("none.p12"), "x"), Optional.empty())
                        .useInThisProcess())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("none.p12: cannot be opened: ");
        assertThatThrownBy(() -> new JmxTls(new JmxTls.Store(good, "x"), Optional.empty()).useInThisProcess())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("trust.p12: cannot be opened: ")
                .hasMessageContaining("(expected: a store, JKS or PKCS#12, and its password)");
    }
}
