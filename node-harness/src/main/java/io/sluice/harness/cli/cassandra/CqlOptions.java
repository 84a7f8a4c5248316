package io.sluice.harness.cli.cassandra;

import com.google.common.net.HostAndPort;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cli.Beside;
import io.sluice.harness.cli.TextFile;
import io.sluice.harness.cli.TlsStores;
import io.sluice.harness.config.AddressText;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how a live node is asked over CQL: address, login, TLS. Not thread-safe. */
final class CqlOptions {
    private static final int CQL_PORT = 9042;

    @Option(
            names = "--cql",
            paramLabel = "HOST[:PORT]",
            required = true,
            description = "A live node that says over CQL which tables take no files.")
    private String cql = "";

    @Option(names = "--cql-user", paramLabel = "NAME", description = "Login of CQL; wants --cql-password-file.")
    private @Nullable String user;

    @Option(names = "--cql-password-file", paramLabel = "FILE", description = "Its first line is the password.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--cql-truststore",
            paramLabel = "FILE",
            description = "Whose certificates are trusted, JKS or PKCS#12; turns on TLS for CQL.")
    private @Nullable Path truststore;

    @Option(
            names = "--cql-keystore",
            paramLabel = "FILE",
            description = "Our key, for a node that asks for one; wants --cql-truststore.")
    private @Nullable Path keystore;

    @Option(
            names = "--cql-store-password-file",
            paramLabel = "FILE",
            description = "Its first line is the password of both stores.")
    private @Nullable Path storePasswordFile;

    /**
     * Connects; closed by the caller.
     *
     * @throws ConfigException if options do not fit together, or a file of them cannot be read
     * @throws IOException if the node does not let us in
     */
    Cql connect() throws IOException {
        Beside.require("--cql-password-file", passwordFile != null, "--cql-user", user != null);
        Beside.require("--cql-keystore", keystore != null, "--cql-truststore", truststore != null);
        Beside.require("--cql-store-password-file", storePasswordFile != null, "--cql-truststore", truststore != null);
        Optional<CqlCluster.Credentials> login = user == null
                ? Optional.empty()
                : Optional.of(
                        new CqlCluster.Credentials(user, password("--cql-user", "--cql-password-file", passwordFile)));
        return Cql.connect(
                address(), login, new TlsStores("--cql-", truststore, keystore, storePasswordFile).read(false));
    }

    private static String password(String option, String wanted, @Nullable Path file) {
        if (file == null) {
            throw new ConfigException(option + ": wants " + wanted + " beside it");
        }
        return TextFile.password(wanted, file);
    }

    private InetSocketAddress address() {
        try {
            HostAndPort address = AddressText.parse(cql).withDefaultPort(CQL_PORT);
            return new InetSocketAddress(address.getHost(), address.getPort());
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--cql " + cql + " (expected: HOST or HOST:PORT)", e);
        }
    }
}
