package io.sluice.harness.cli;

import io.sluice.harness.agent.AgentMain;
import io.sluice.harness.agent.AgentSettings;
import io.sluice.harness.agent.CassandraYaml;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.report.ExitCode;
import io.sluice.netty.StreamOptions;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice agent}: the process beside a Cassandra node, until it is stopped. Not thread-safe. */
@Command(
        name = "agent",
        addMethodSubcommands = false,
        sortOptions = false,
        description = {
            "Runs beside a node of Apache Cassandra (4.0, 4.1, 5.0), as the user of that node, until it is stopped.",
            "It pins the node's tables by snapshots, sends them to agents of other nodes, and imports what they send.",
            "For ./sluice cassandra replace-node, bootstrap and rebuild; see docs/cassandra-replace.md."
        })
final class AgentCommand implements Callable<Integer> {
    @Option(
            names = "--cassandra-yaml",
            paramLabel = "FILE",
            required = true,
            description = "The node's cassandra.yaml: its address and its data_file_directories.")
    private Path yaml = Path.of("");

    @Mixin
    private final JmxOptions jmx = new JmxOptions();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Where other agents connect (default: the node's address, port 7010).")
    private @Nullable String listen;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:7081",
            description = "The admin endpoint, a loopback address (default: ${DEFAULT-VALUE}).")
    private String admin = "";

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            required = true,
            description =
                    "The token of the admin endpoint, made if it is missing; the same for all agents of a cluster.")
    private Path tokenFile = Path.of("");

    @Option(
            names = "--coordinator-timeout",
            paramLabel = "SECONDS",
            defaultValue = "900",
            description =
                    "A node that waits goes on when no order was received for so long (default: ${DEFAULT-VALUE}).")
    private int coordinatorSeconds;

    @Option(
            names = "--digest-threads",
            paramLabel = "NUMBER",
            description = "How many threads compute digests beside the node (default: a quarter of the processors, at"
                    + " least 2).")
    private int digestThreads = Math.max(2, Runtime.getRuntime().availableProcessors() / 4);

    @Option(
            names = "--ignore-reads",
            description = "Streams at full speed although the node's own reads take twice as long as usual, or it drops"
                    + " requests (default: slows down until they are as usual).")
    private boolean ignoresReads;

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "Its log (default: sluice-agent.log beside the --token-file).")
    private @Nullable Path log;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "A sluice.yaml with options of streaming, as TLS and limits (default: those of the library), and"
                            + " node_id, which certificates name (auto: made at the first start).")
    private @Nullable Path config;

    @Override
    public Integer call() throws IOException {
        logTo(log == null ? tokenFile.resolveSibling("sluice-agent.log") : log);
        Optional<SluiceConfig> streaming = Optional.ofNullable(config).map(SluiceConfig::read);
        AgentMain.run(
                settings(streaming.flatMap(given -> given.node().nodeId())),
                () -> streaming.map(SluiceConfig::streaming).orElseGet(StreamOptions::builder));
        return ExitCode.OK.number();
    }

    /** What is asked for, checked. */
    AgentSettings settings(Optional<UUID> id) throws IOException {
        CassandraYaml node = CassandraYaml.read(yaml);
        Address adminAddress = address("--admin", admin);
        if (!InetAddress.getByName(adminAddress.host()).isLoopbackAddress()) {
            throw new ConfigException("--admin " + admin
                    + ": other machines reach it, and its token would pass them in plain text (expected: a loopback"
                    + " address; reach it from elsewhere through ssh -L)");
        }
        if (coordinatorSeconds < 1) {
            throw new ConfigException("--coordinator-timeout " + coordinatorSeconds + " (expected: at least 1)");
        }
        if (digestThreads < 1) {
            throw new ConfigException("--digest-threads " + digestThreads + " (expected: at least 1)");
        }
        return new AgentSettings(
                id,
                node,
                jmx.target(),
                listen == null ? new Address(node.listenAddress(), 7010) : address("--listen", listen),
                adminAddress,
                tokenFile,
                Duration.ofSeconds(coordinatorSeconds),
                digestThreads,
                !ignoresReads);
    }

    private static void logTo(Path file) throws IOException {
        try {
            LogFile.at(file);
        } catch (FileSystemException e) {
            throw new IOException(
                    "cannot write the log " + file + ": " + e
                            + " (expected: --log FILE, in a folder that the user of this process may write)",
                    e);
        }
    }

    /** An address in an option. */
    static Address address(String option, String text) {
        try {
            return Address.parse(text);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(option + " " + text + " (expected: HOST:PORT)", e);
        }
    }
}
