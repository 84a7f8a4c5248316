package io.sluice.harness.cli;

import com.google.common.net.HostAndPort;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.CassandraTls;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.harness.config.AddressText;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options that say how a live cluster is reached: ports, login, TLS. Not thread-safe. */
final class ContactOptions {
    /** How long a session may stand still. */
    static final Duration TIMEOUT = Duration.ofMinutes(10);

    private static final Duration NETWORK_TIMEOUT = Duration.ofMinutes(2);
    private static final int EVENT_LOOPS = 2;
    private static final int CQL_PORT = 9042;

    @Option(
            names = "--storage-port",
            paramLabel = "PORT",
            description = "Of nodes that do not say theirs over CQL (default: 7000).")
    private int storagePort = 7000;

    @Option(names = "--user", paramLabel = "NAME", description = "Login of CQL; asks for --password-file.")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "Its first line is the password of --user; nobody else should be able to read it.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--truststore",
            paramLabel = "FILE",
            description = "Whose certificates are trusted, JKS or PKCS#12; turns on TLS for streaming and CQL.")
    private @Nullable Path truststore;

    @Option(
            names = "--keystore",
            paramLabel = "FILE",
            description = "Our key, for nodes that require_client_auth; pull and follow want it.")
    private @Nullable Path keystore;

    @Option(
            names = "--store-password-file",
            paramLabel = "FILE",
            description = "Its first line is the password of both stores.")
    private @Nullable Path storePasswordFile;

    @Option(
            names = "--plain-cql",
            description = "CQL without TLS although streaming has it, as server_encryption_options alone makes it.")
    private boolean plainCql;

    @Option(
            names = "--plain-streaming",
            description = "Streaming without TLS although CQL has it, as client_encryption_options alone makes it.")
    private boolean plainStreaming;

    @Option(
            names = "--verify-host",
            description =
                    "A node's certificate must name the host that CQL and streams connect to (default: it need not).")
    private boolean verifyHost;

    /** The address of CQL that {@code text} means. */
    InetSocketAddress address(String option, String text, CommandSpec spec) {
        return address(option, text, CQL_PORT, spec);
    }

    /** The address that {@code text} means, of {@code defaultPort} if it names none. */
    InetSocketAddress address(String option, String text, int defaultPort, CommandSpec spec) {
        HostAndPort address = written(option, text, spec).withDefaultPort(defaultPort);
        return new InetSocketAddress(address.getHost(), address.getPort());
    }

    /** What {@code text} says, with or without a port. */
    HostAndPort written(String option, String text, CommandSpec spec) {
        try {
            return AddressText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), option + " " + text + " (expected: host or host:port)", e);
        }
    }

    /**
     * How to reach the cluster of these nodes over CQL.
     *
     * @throws ConfigException if options do not fit together, or a file of them cannot be read
     */
    CqlCluster.Contact of(List<InetSocketAddress> hosts) {
        requireTogether();
        Optional<CqlCluster.Credentials> login = Optional.empty();
        if (user != null) {
            login = Optional.of(new CqlCluster.Credentials(user, firstLine("--user", "--password-file", passwordFile)));
        }
        return new CqlCluster.Contact(hosts, login, plainCql ? Optional.empty() : tls(), storagePort);
    }

    /** Connections for streams with the nodes, to be closed by the caller. */
    CassandraLinks links() throws IOException {
        return CassandraLinks.create(streamingTls(), EVENT_LOOPS, NETWORK_TIMEOUT);
    }

    /**
     * Trust and key for streams; empty for plain ones.
     *
     * @throws ConfigException if options do not fit together, or a file of them cannot be read
     */
    Optional<CassandraTls> streamingTls() {
        requireTogether();
        return plainStreaming ? Optional.empty() : tls();
    }

    /**
     * Checks that we have a certificate if nodes connect to us by TLS: they show theirs, and want ours.
     *
     * @throws ConfigException if there is none
     */
    void requireKeyForIncoming() {
        if (truststore != null && keystore == null && !plainStreaming) {
            throw new ConfigException("--truststore: wants --keystore beside it, since streams come to us"
                    + " (or --plain-streaming, if they are not encrypted)");
        }
    }

    /** An option that would do nothing is a mistake: whoever gives {@code --verify-host} alone expects TLS. */
    private void requireTogether() {
        Beside.require("--password-file", passwordFile != null, "--user", user != null);
        boolean isTls = truststore != null;
        Beside.require("--keystore", keystore != null, "--truststore", isTls);
        Beside.require("--store-password-file", storePasswordFile != null, "--truststore", isTls);
        Beside.require("--plain-cql", plainCql, "--truststore", isTls);
        Beside.require("--plain-streaming", plainStreaming, "--truststore", isTls);
        Beside.require("--verify-host", verifyHost, "--truststore", isTls);
        Beside.forbid("--plain-cql", plainCql, "--plain-streaming", plainStreaming);
    }

    private Optional<CassandraTls> tls() {
        return new TlsStores("--", truststore, keystore, storePasswordFile).read(verifyHost);
    }

    static String firstLine(String option, String wanted, @Nullable Path file) {
        if (file == null) {
            throw new ConfigException(option + ": wants " + wanted + " beside it");
        }
        return TextFile.password(wanted, file);
    }
}
