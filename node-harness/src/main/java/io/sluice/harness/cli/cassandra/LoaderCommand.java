package io.sluice.harness.cli.cassandra;

import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.cassandra.StockLoader;
import io.sluice.harness.cli.CommonEnd;
import io.sluice.harness.cli.TextFile;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice cassandra sstableloader}. Not thread-safe. */
@Command(
        name = "sstableloader",
        addMethodSubcommands = false,
        sortOptions = false,
        description = {
            "Runs Cassandra's own bulk loader, of the nodes' release, as a process of its own without throttles.",
            "Its output is its own, and so is its exit code."
        },
        footer = {
            "",
            "It streams to the nodes' addresses, at the storage port that it is given: give another than the nodes' to try",
            "what listens there instead, as ./sluice follow does:",
            "  ./sluice cassandra sstableloader work/example/shop/users-* --storage-port 7100"
        })
final class LoaderCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "Folder of a table, <keyspace>/<table>-<id>.")
    private Path table = Path.of("");

    @Option(
            names = "--storage-port",
            paramLabel = "PORT",
            description = "Where it streams to, on each address (default: that of the nodes).")
    private int storagePort;

    @Option(
            names = "--keystore",
            paramLabel = "FILE",
            description = "PKCS#12, with the loader's key; turns on TLS for streaming (not for CQL).")
    private @Nullable Path keystore;

    @Option(names = "--truststore", paramLabel = "FILE", description = "PKCS#12, whose certificates are trusted.")
    private @Nullable Path truststore;

    @Option(names = "--store-password-file", paramLabel = "FILE", description = "Its first line opens both stores.")
    private @Nullable Path passwordFile;

    @Mixin
    private Home home = new Home();

    @Override
    public Integer call() throws IOException, InterruptedException {
        LocalCluster cluster = home.cluster();
        StockLoader loader = StockLoader.of(
                        cluster.options(), home.folder(), home.folder().resolve("loader"))
                .withYaml(encryption());
        int port = storagePort == 0 ? cluster.options().storagePort() : storagePort;
        ProcessBuilder program = new ProcessBuilder(loader.command(table.toAbsolutePath(), port)).inheritIO();
        try (CommonEnd common = CommonEnd.with(program.start())) {
            return common.process().waitFor();
        }
    }

    private String encryption() throws IOException {
        if (keystore == null && truststore == null) {
            return "";
        }
        if (keystore == null || truststore == null || passwordFile == null) {
            throw new ConfigException("--keystore, --truststore and --store-password-file go together");
        }
        String password = TextFile.password("--store-password-file", passwordFile);
        return StockLoader.encryption(keystore, truststore, password);
    }
}
