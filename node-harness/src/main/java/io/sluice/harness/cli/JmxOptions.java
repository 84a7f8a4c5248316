package io.sluice.harness.cli;

import io.sluice.harness.cassandra.JmxEnvironment;
import io.sluice.harness.cassandra.JmxTls;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.harness.config.ConfigException;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how the JMX of the agent's node is reached. Not thread-safe. */
final class JmxOptions {
    @Option(
            names = "--jmx",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:7199",
            description = "Where the node takes JMX (default: ${DEFAULT-VALUE}).")
    private String jmx = "";

    @Option(names = "--jmx-user", paramLabel = "NAME", description = "Login of JMX; wants --jmx-password-file.")
    private @Nullable String user;

    @Option(names = "--jmx-password-file", paramLabel = "FILE", description = "Its first line is the password.")
    private @Nullable Path passwordFile;

    @Option(names = "--jmx-tls", description = "JMX over TLS, at its registry, too.")
    private boolean isTls;

    @Option(
            names = "--jmx-truststore",
            paramLabel = "FILE",
            description = "Whose certificates are trusted, JKS or PKCS#12 (default: the authorities of this Java).")
    private @Nullable Path truststore;

    @Option(
            names = "--jmx-truststore-password-file",
            paramLabel = "FILE",
            description = "Its first line is the password of the store.")
    private @Nullable Path truststorePasswordFile;

    @Option(
            names = "--jmx-keystore",
            paramLabel = "FILE",
            description = "Our key, for a node that asks for one; wants --jmx-truststore.")
    private @Nullable Path keystore;

    @Option(
            names = "--jmx-keystore-password-file",
            paramLabel = "FILE",
            description = "Its first line is the password of store and key.")
    private @Nullable Path keystorePasswordFile;

    @Option(
            names = "--jmx-timeout",
            paramLabel = "SECONDS",
            defaultValue = "3600",
            description = "A call that has no answer for so long has failed: an import of a large table is one call"
                    + " (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    /**
     * The node's JMX. TLS and timeout hold for the whole process from now on: RMI has no other way.
     *
     * @throws ConfigException if options do not fit together
     */
    NodeJmx.Target target() throws IOException {
        requireTogether();
        Address address = AgentCommand.address("--jmx", jmx);
        Optional<NodeJmx.Login> login = user == null
                ? Optional.empty()
                : Optional.of(new NodeJmx.Login(
                        user, ContactOptions.firstLine("--jmx-user", "--jmx-password-file", passwordFile)));
        if (timeoutSeconds < 1) {
            throw new ConfigException("--jmx-timeout " + timeoutSeconds + " (expected: at least 1)");
        }
        Optional<JmxTls> tls = tls();
        JmxEnvironment.boundWaits(Duration.ofSeconds(timeoutSeconds));
        if (tls.isPresent()) {
            tls.get().useInThisProcess();
        }
        return new NodeJmx.Target(address.host(), address.port(), login, isTls);
    }

    private void requireTogether() {
        Beside.require("--jmx-password-file", passwordFile != null, "--jmx-user", user != null);
        Beside.require("--jmx-truststore", truststore != null, "--jmx-tls", isTls);
        Beside.require(
                "--jmx-truststore-password-file",
                truststorePasswordFile != null,
                "--jmx-truststore",
                truststore != null);
        Beside.require("--jmx-keystore", keystore != null, "--jmx-truststore", truststore != null);
        Beside.require(
                "--jmx-keystore-password-file", keystorePasswordFile != null, "--jmx-keystore", keystore != null);
    }

    private Optional<JmxTls> tls() throws IOException {
        if (truststore == null) {
            return Optional.empty();
        }
        JmxTls.Store trust = new JmxTls.Store(
                truststore,
                ContactOptions.firstLine("--jmx-truststore", "--jmx-truststore-password-file", truststorePasswordFile));
        if (keystore == null) {
            return Optional.of(new JmxTls(trust, Optional.empty()));
        }
        String password =
                ContactOptions.firstLine("--jmx-keystore", "--jmx-keystore-password-file", keystorePasswordFile);
        return Optional.of(new JmxTls(trust, Optional.of(new JmxTls.Store(keystore, password))));
    }
}
