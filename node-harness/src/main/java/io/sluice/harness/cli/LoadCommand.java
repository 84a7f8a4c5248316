package io.sluice.harness.cli;

import io.sluice.cassandra.load.BulkLoad;
import io.sluice.cassandra.load.Delivery;
import io.sluice.cassandra.load.LeftOut;
import io.sluice.cassandra.load.LoadOptions;
import io.sluice.cassandra.load.LoadResult;
import io.sluice.cassandra.load.ViewLeftOut;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.report.WorkProgress;
import io.sluice.sstable.component.SSTableException;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice load}. Not thread-safe. */
@Command(
        name = "load",
        addMethodSubcommands = false,
        description =
                "Loads SSTables into a live Apache Cassandra cluster (4.0 to 5.0), whole where a node owns all of one, else as slices.",
        footer = {
            "",
            "Example:",
            "  ./sluice load backup/shop --hosts 10.0.0.1,10.0.0.2 --throttle 100MiB/s",
            "",
            "It ends with 0 if every node has all that it owns, 4 if some have (or one is ignored, or a view's base table is",
            "missing), 1 if none has, or the ring or a table changed meanwhile, 3 if it was refused before anything was sent,",
            "and 5 on Ctrl-C. Loading again is harmless."
        })
final class LoadCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "DIR",
            description = "Folder of a table (<keyspace>/<table>-<id>), of one of its snapshots (snapshots/TAG in"
                    + " that), of a keyspace, or of all data (then without Cassandra's own keyspaces). Of a node with"
                    + " several data directories, one after the other.")
    private Path directory = Path.of("");

    @Option(
            names = "--hosts",
            paramLabel = "HOSTS",
            split = ",",
            required = true,
            description = "Some nodes of the cluster, as host or host:port of CQL (default port: 9042).")
    private List<String> hosts = new ArrayList<>();

    @Option(
            names = "--keyspace",
            paramLabel = "NAME",
            description = "Load into this one (default: as the folder says).")
    private @Nullable String keyspace;

    @Option(
            names = "--throttle",
            paramLabel = "RATE",
            converter = RateConverter.class,
            description = "Of all connections together, as 24MiB/s (default: 0, no limit).")
    private long throttle;

    @Option(
            names = "--connections-per-host",
            paramLabel = "N",
            description = "That carry files to each node, 1 to 64 (default: 2).")
    private int connectionsPerHost = 2;

    @Option(
            names = "--ignore",
            paramLabel = "HOSTS",
            split = ",",
            description = "Go on without these nodes, as host or host:port of the ring; what they lack is named.")
    private List<String> ignored = new ArrayList<>();

    @Option(names = "--dry-run", description = "Shows who would get what, and sends nothing.")
    private boolean dryRun;

    @Option(names = "--json", paramLabel = "FILE", description = "Write at the end how each delivery ended, as JSON.")
    private @Nullable Path json;

    @Mixin
    private ContactOptions contact = new ContactOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!Files.isDirectory(directory)) {
            throw new ConfigException("DIR " + directory + ": no such folder (expected: SSTables)");
        }
        if (hosts.isEmpty()) {
            throw new ConfigException("--hosts: names no node (expected: host or host:port, several with commas)");
        }
        Beside.forbid("--json", json != null, "--dry-run", dryRun);
        LoadOptions options = options();
        List<InetSocketAddress> nodes = hosts.stream()
                .map(host -> contact.address("--hosts", host, spec))
                .toList();
        CqlCluster.Contact cql = contact.of(nodes);
        contact.streamingTls(); // refuses what links() would, before the report is begun
        ReportFile.begin("--json", json);
        try (CqlCluster cluster = CqlCluster.connect(cql);
                CassandraLinks links = contact.links()) {
            BulkLoad load = BulkLoad.prepare(directory, cluster, links, options);
            printPlan(load, System.out);
            if (!load.keyspacesLeftOut().isEmpty()) {
                System.err.println("sluice: leaves out Cassandra's own " + new TreeSet<>(load.keyspacesLeftOut())
                        + " (roles are in system_auth: load its folder by itself)");
            }
            load.viewsLeftOut().forEach(view -> System.err.println("sluice: " + text(view)));
            leftOut(load).forEach(left -> System.err.println("sluice: " + left));
            return (dryRun ? ExitCode.OK : run(load)).number();
        } catch (StreamException | SSTableException refused) { // a load that has begun throws neither
            String problem = refused.getMessage() + " (nothing was sent)";
            System.err.println("sluice: " + problem);
            LiveReport.refused("load", String.join(",", hosts), problem).write(json);
            return ExitCode.REFUSED.number();
        }
    }

    private ExitCode run(BulkLoad load) throws IOException, InterruptedException {
        try (Interruption interruption = Interruption.of(load::cancel, ExitCode.CANCELLED::number)) {
            long start = System.nanoTime();
            List<LoadResult> results;
            WorkProgress shown = WorkProgress.of(() -> Progress.step(load.progress()));
            try {
                results = load.run();
            } finally {
                shown.close();
            }
            printReport(results, System.nanoTime() - start, System.out);
            failures(results).forEach(failure -> System.err.println("sluice: " + failure));
            if (interruption.happened()) {
                System.err.println("sluice: cancelled; what is live stays where it is, and loading again is harmless");
            }
            List<LiveReport.Session> sessions = Stream.concat(
                            results.stream().map(result -> session(load, result)),
                            Stream.concat(
                                    load.leftOut().stream().map(left -> session(load, left)),
                                    load.viewsLeftOut().stream()
                                            .filter(view -> !view.isWritten())
                                            .map(view -> session(load, view))))
                    .toList();
            Optional<String> change = interruption.happened() ? Optional.empty() : load.changedMeanwhile();
            change.ifPresent(problem -> System.err.println("sluice: " + problem));
            ExitCode code = change.isPresent() ? ExitCode.FAILED : LiveReport.code(sessions);
            if (interruption.happened()) {
                code = ExitCode.CANCELLED;
            }
            new LiveReport("load", String.join(",", hosts), code.number(), change, sessions).write(json);
            return code;
        }
    }

    private static LiveReport.Session session(BulkLoad load, LoadResult result) {
        Delivery delivery = result.delivery();
        return new LiveReport.Session(
                load.planId().toString(),
                node(delivery),
                List.of(delivery.table().toString()),
                LiveReport.Session.stateOf(result.failure()),
                result.failure(),
                delivery.transfers().size(),
                0, // what the node checks is said in docs/cassandra.md
                Map.of("whole", delivery.whole(), "slice", delivery.slices(), "partial", delivery.partial()),
                result.sentBytes(),
                result.nanos() / 1e9,
                Optional.empty());
    }

    private static LiveReport.Session session(BulkLoad load, LeftOut left) {
        return leftOut(load, left.node().toString(), left.table().toString(), text(left));
    }

    private static LiveReport.Session session(BulkLoad load, ViewLeftOut left) {
        return leftOut(load, "", left.view(), text(left));
    }

    private static LiveReport.Session leftOut(BulkLoad load, String node, String table, String why) {
        return new LiveReport.Session(
                load.planId().toString(),
                node,
                List.of(table),
                LiveReport.Session.State.IGNORED,
                Optional.of(why),
                0,
                0,
                Map.of(),
                0,
                0,
                Optional.empty());
    }

    private static List<String> leftOut(BulkLoad load) {
        return load.leftOut().stream().map(LoadCommand::text).toList();
    }

    private static String text(ViewLeftOut left) {
        return "leaves out " + left.view() + ", a materialized view"
                + (left.isWritten()
                        ? ": the nodes write it from the base table"
                        : ": its rows are loaded with its base table " + left.baseTable()
                                + ", of which there is no SSTable here");
    }

    private static String text(LeftOut left) {
        return left.node() + " is ignored: it lacks about " + ByteFormat.text(left.lengthBytes()) + " of "
                + left.table() + " (when it is back: load again, or run nodetool repair there)";
    }

    private static List<String> failures(List<LoadResult> results) {
        List<String> failures = new ArrayList<>();
        for (LoadResult result : results) {
            result.failure()
                    .ifPresent(reason ->
                            failures.add(result.delivery().table() + " to " + node(result.delivery()) + ": " + reason));
        }
        return failures;
    }

    private LoadOptions options() {
        try {
            List<InetSocketAddress> nodes = ignored.stream()
                    .map(host -> contact.address("--ignore", host, LoadOptions.ANY_PORT, spec))
                    .toList();
            return new LoadOptions(
                    Optional.ofNullable(keyspace), throttle, connectionsPerHost, ContactOptions.TIMEOUT, nodes);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private static void printPlan(BulkLoad load, PrintStream out) {
        TextTable table = new TextTable("node", "release", "table", "SSTables whole", "slices", "in part", "bytes");
        for (Delivery delivery : load.deliveries()) {
            table.row(
                    node(delivery),
                    delivery.receiver().node().release(),
                    delivery.table().toString(),
                    String.valueOf(delivery.whole()),
                    String.valueOf(delivery.slices()),
                    String.valueOf(delivery.partial()),
                    ByteFormat.text(delivery.lengthBytes()));
        }
        out.println(
                "Plan " + load.planId() + ": " + ByteFormat.text(load.progress().totalBytes()));
        table.print(out);
    }

    private static void printReport(List<LoadResult> results, long nanos, PrintStream out) {
        TextTable table = new TextTable("node", "table", "sent", "seconds", "rate", "result");
        for (LoadResult result : results) {
            double seconds = result.nanos() / 1e9;
            table.row(
                    node(result.delivery()),
                    result.delivery().table().toString(),
                    ByteFormat.text(result.sentBytes()),
                    String.format(Locale.ROOT, "%.1f", seconds),
                    ByteFormat.rate(result.sentBytes(), seconds),
                    result.failure().isEmpty() ? "live" : "failed");
        }
        table.print(out);
        out.printf(
                Locale.ROOT,
                "%d %s in %.1f s%n",
                results.size(),
                results.size() == 1 ? "delivery" : "deliveries",
                nanos / 1e9);
    }

    private static String node(Delivery delivery) {
        return delivery.receiver().node().toString();
    }
}
