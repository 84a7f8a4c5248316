package io.sluice.harness.cli;

import io.sluice.harness.security.TrialAuthority;
import io.sluice.netty.security.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice certs}. Not thread-safe. */
@Command(
        name = "certs",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Makes certificates for trying TLS out: an authority, and a certificate and key for each node.",
        footer = {
            "",
            "They are good for 90 days. The authority's own key is not kept: for more nodes, make all anew.",
            "",
            "Example:",
            "  ./sluice certs --to work/tls node1=10.0.0.1 node2=10.0.0.2"
        })
public final class CertsCommand implements Callable<Integer> {
    @Option(names = "--to", paramLabel = "DIR", required = true, description = "Where the files go.")
    private Path directory = Path.of("");

    @Parameters(
            paramLabel = "NAME=ADDRESS",
            arity = "1..*",
            description = "Nodes, each with the IP address or host name where peers find it.")
    private Map<String, String> nodes = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException {
        TrialAuthority authority = new TrialAuthority(directory);
        for (Map.Entry<String, String> node : nodes.entrySet()) {
            TlsFiles files = authority.issue(node.getKey(), node.getValue());
            System.out.println("# " + node.getKey() + " at " + node.getValue() + ", for its sluice.yaml");
            System.out.println("tls_certificate: " + files.certificate());
            System.out.println("tls_key: " + files.key());
            System.out.println("tls_trust: " + files.trust());
        }
        return 0;
    }
}
