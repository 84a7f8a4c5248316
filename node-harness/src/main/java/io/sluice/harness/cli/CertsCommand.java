package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.security.TrialAuthority;
import io.sluice.netty.TlsFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice certs}. Not thread-safe. */
@Command(
        name = "certs",
        addMethodSubcommands = false,
        sortOptions = false,
        description = "Makes certificates for trying TLS out: an authority, and a certificate and key for each node.",
        footer = {
            "",
            "Each certificate speaks for one node, by the alternative name urn:sluice:node:ID, where ID is the one that",
            "node_id: auto makes of NAME; at another node it is refused.",
            "They are good for 90 days. The authority's own key is not kept: for more nodes, make all anew.",
            "",
            "Example:",
            "  ./sluice certs --to work/tls node1=10.0.0.1 node2=10.0.0.2",
            "",
            "With --store-password-file also NAME.p12 and trust.p12, which Cassandra, its tools and ./sluice load, pull",
            "and follow read."
        })
public final class CertsCommand implements Callable<Integer> {
    private static final Pattern NAME = Pattern.compile("\\w[\\w.-]{0,63}");

    @Option(names = "--to", paramLabel = "DIR", required = true, description = "Where the files go.")
    private Path directory = Path.of("");

    @Option(
            names = "--store-password-file",
            paramLabel = "FILE",
            description = "Makes PKCS#12 stores, too; its first line is their password.")
    private @Nullable Path passwordFile;

    @Parameters(
            paramLabel = "NAME=ADDRESS",
            arity = "1..*",
            description = "Nodes, each with the IP address or host name where peers find it. Files are named after"
                    + " them: a name has letters, digits, '.', '_' and '-'.")
    private List<String> nodes = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        Optional<String> password = passwordFile == null
                ? Optional.empty()
                : Optional.of(ContactOptions.firstLine("certs", "--store-password-file", passwordFile));
        Map<String, String> addresses = addresses();
        TrialAuthority authority = new TrialAuthority(directory);
        for (Map.Entry<String, String> node : addresses.entrySet()) {
            TlsFiles files = authority.issue(node.getKey(), node.getValue(), id(node.getKey()));
            if (password.isPresent()) {
                authority.store(node.getKey(), password.get());
            }
            System.out.println("# " + node.getKey() + " at " + node.getValue() + ", for its sluice.yaml");
            System.out.println("node_id: " + id(node.getKey()));
            System.out.println("tls_certificate: " + files.certificate().toRealPath());
            System.out.println("tls_key: " + files.key().toRealPath());
            System.out.println("tls_trust: " + files.trust().toRealPath());
        }
        return 0;
    }

    /** Of each name its address. All are looked at before the first file is made: a folder is whole, or none. */
    private Map<String, String> addresses() {
        Map<String, String> addresses = new LinkedHashMap<>();
        for (String node : nodes) {
            int end = node.indexOf('=');
            String name = end < 0 ? "" : node.substring(0, end);
            String address = node.substring(end + 1);
            if (!NAME.matcher(name).matches() || name.equals(TrialAuthority.TRUST)) {
                throw new ConfigException(node + ": has no name for files (expected: NAME=ADDRESS, NAME of letters,"
                        + " digits, '.', '_' and '-', at most 64, and not '" + TrialAuthority.TRUST + "')");
            }
            if (!TrialAuthority.isAddress(address)) {
                throw new ConfigException(node + ": has no address (expected: NAME=ADDRESS, an IP address without a"
                        + " zone, or a host name)");
            }
            if (addresses.put(name, address) != null) {
                throw new ConfigException(node + ": a second " + name + " (expected: each name once)");
            }
        }
        return addresses;
    }

    /** As {@code node_id: auto} makes it. */
    private static UUID id(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }
}
