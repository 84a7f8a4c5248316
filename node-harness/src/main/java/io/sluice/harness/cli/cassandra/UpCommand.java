package io.sluice.harness.cli.cassandra;

import io.sluice.harness.cassandra.ClassPath;
import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.LocalOptions;
import io.sluice.harness.cassandra.Release;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import io.sluice.harness.scenario.ScenarioException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./sluice cassandra up}. Not thread-safe. */
@Command(
        name = "up",
        sortOptions = false,
        description =
                "Starts nodes on 127.0.0.1, 127.0.0.2, ...; Maven fetches Cassandra the first time (about 70 MB).",
        footer = {"", "Each node takes about 800 MB of memory. They run until ./sluice cassandra down."})
final class UpCommand implements Callable<Integer> {
    @Option(names = "--nodes", paramLabel = "N", description = "1 to 16 (default: 1).")
    private int nodes = 1;

    @Option(
            names = "--version",
            paramLabel = "RELEASE",
            description = "5.0, 4.1, or an exact release as 5.0.6 (default: 5.0).")
    private String version = "5.0";

    @Option(
            names = "--compatibility-mode",
            paramLabel = "MODE",
            description = "storage_compatibility_mode of 5.0: CASSANDRA_4 (its default), UPGRADING, or NONE for oa.")
    private @Nullable String mode;

    @Option(names = "--cql-port", paramLabel = "PORT", description = "On each address (default: 9042).")
    private int cqlPort = LocalOptions.DEFAULT_CQL_PORT;

    @Option(names = "--storage-port", paramLabel = "PORT", description = "On each address (default: 7000).")
    private int storagePort = LocalOptions.DEFAULT_STORAGE_PORT;

    @Mixin
    private Home home = new Home();

    /** The usual mixin would take {@code --version} for the program's own. */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    void help(boolean asked) {
        // picocli prints it.
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        LocalOptions options = options();
        home.make();
        PrintWriter out = spec.commandLine().getOut();
        out.println("Starting " + nodes + (nodes == 1 ? " node" : " nodes") + " of Cassandra " + options.release());
        out.flush();
        LocalCluster cluster = started(options);
        for (LocalNode node : cluster.nodes()) {
            out.println("  node " + node.number() + "  CQL " + node + "  log " + node.log());
        }
        out.println();
        out.print(nextSteps());
        out.flush();
        return 0;
    }

    private LocalCluster started(LocalOptions options) throws IOException, InterruptedException {
        AtomicReference<Step> step =
                new AtomicReference<>(Step.ofBytes("finding Cassandra " + options.release() + " by Maven", 0, 0));
        WorkProgress shown = WorkProgress.of(step::get);
        try {
            ClassPath classPath = ClassPath.resolve(options.release(), home.folder());
            step.set(new Step("starting", 0, nodes, "nodes"));
            return LocalCluster.up(home.folder(), options, classPath, () -> step.updateAndGet(now -> now.plus(1)));
        } finally {
            shown.close();
        }
    }

    private LocalOptions options() {
        try {
            LocalOptions options =
                    LocalOptions.of(Release.of(version)).withNodes(nodes).withPorts(cqlPort, storagePort);
            return Optional.ofNullable(mode)
                    .map(named -> options.withCompatibility(named.toUpperCase(Locale.ROOT)))
                    .orElse(options);
        } catch (IOException | IllegalArgumentException e) {
            throw new ConfigException(String.valueOf(e.getMessage()), e);
        }
    }

    private String nextSteps() {
        String host = "127.0.0.1" + (cqlPort == LocalOptions.DEFAULT_CQL_PORT ? "" : ":" + cqlPort);
        String elsewhere = spec.commandLine().getParseResult().hasMatchedOption("--work-dir")
                ? " --work-dir " + home.folder().getParent()
                : "";
        return """
                Load a generated table into it:
                  ./sluice sstable generate --schema conf/examples/users.cql --size 256MiB work/example
                  ./sluice cassandra cql%s --file conf/examples/users.cql
                  ./sluice load work/example --hosts %s
                  ./sluice cassandra cql%s "SELECT * FROM shop.users LIMIT 3"
                Stop it:
                  ./sluice cassandra down%s
                """.formatted(elsewhere, host, elsewhere, elsewhere);
    }
}
