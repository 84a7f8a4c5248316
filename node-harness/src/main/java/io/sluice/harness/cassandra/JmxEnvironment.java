package io.sluice.harness.cassandra;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.management.remote.JMXConnector;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/**
 * What a connection to the JMX of a node is made with: login, TLS, and for how long an answer is awaited. Stateless.
 */
public final class JmxEnvironment {
    /** Where the registry, which names the node's JMX server, is reached. */
    private static final String REGISTRY_SOCKETS = "com.sun.jndi.rmi.factory.socket";

    private static final String ANSWER = "sun.rmi.transport.tcp.responseTimeout";
    private static final String HANDSHAKE = "sun.rmi.transport.tcp.handshakeTimeout";
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

    private JmxEnvironment() {}

    /** Of a target. With TLS the registry must have it, too: from one without, anybody could name another server. */
    static Map<String, Object> of(NodeJmx.Target target) {
        Map<String, Object> environment = new HashMap<>();
        target.login()
                .ifPresent(login ->
                        environment.put(JMXConnector.CREDENTIALS, new String[] {login.user(), login.password()}));
        if (target.tls()) {
            environment.put(REGISTRY_SOCKETS, new SslRMIClientSocketFactory());
        }
        return environment;
    }

    /** What is needed of the node, for an error. */
    static String expected(NodeJmx.Target target) {
        return "(expected: a running Cassandra, its JMX_PORT, and its login if required"
                + (target.tls()
                        ? ", TLS at its registry, too (com.sun.management.jmxremote.registry.ssl=true), and its"
                                + " certificate in --jmx-truststore)"
                        : "; --jmx-tls if it has TLS)");
    }

    /**
     * Bounds how long calls of this process wait for a node that has connected and does not answer, as one that is
     * frozen. RMI has this for the whole process alone. Before the first connection.
     *
     * @param longestAnswer at least 1 ms: an import of a large table is one call
     */
    public static void boundWaits(Duration longestAnswer) {
        System.setProperty(ANSWER, String.valueOf(longestAnswer.toMillis()));
        System.setProperty(HANDSHAKE, String.valueOf(Math.min(longestAnswer.toMillis(), HANDSHAKE_TIMEOUT.toMillis())));
    }
}
