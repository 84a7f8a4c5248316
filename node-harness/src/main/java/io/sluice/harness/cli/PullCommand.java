package io.sluice.harness.cli;

import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.receive.Pull;
import io.sluice.cassandra.receive.PullFromAll;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.ClusterView;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.harness.cli.sstable.TokenRangeParser;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.WorkProgress;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./sluice pull}. Not thread-safe. */
@Command(
        name = "pull",
        addMethodSubcommands = false,
        sortOptions = false,
        description = "Takes token ranges of a table out of a live Apache Cassandra node (4.0 to 5.0), as SSTables.",
        footer = {
            "",
            "The node flushes the table first, so what it held in memory comes too. It connects back to this machine.",
            "",
            "Example:",
            "  ./sluice pull --host 10.0.0.1 --keyspace shop --table users --to backup",
            "  ./sluice pull --host 10.0.0.1 --keyspace shop --table users --from-all --to backup",
            "",
            "It ends with 0 if all is there and verified, with 1 if anything failed, with 3 if the node does not answer,",
            "and with 5 on Ctrl-C."
        })
final class PullCommand implements Callable<Integer> {
    @Option(
            names = "--host",
            paramLabel = "HOST",
            required = true,
            description = "The node, as host or host:port of CQL (default port: 9042).")
    private String host = "";

    @Option(names = "--keyspace", paramLabel = "NAME", required = true, description = "Of the table.")
    private String keyspace = "";

    @Option(names = "--table", paramLabel = "NAME", required = true, description = "The table.")
    private String table = "";

    @Option(
            names = "--from-all",
            description = "The whole table, from every node what it owns; --host is any of them. Again after a failure:"
                    + " only what is missing.")
    private boolean fromAll;

    @Option(
            names = "--ranges",
            paramLabel = "START,END",
            description = "Tokens after START up to END, or all; may be repeated (default: all that the node owns).")
    private List<String> ranges = new ArrayList<>();

    @Option(
            names = "--to",
            paramLabel = "DIR",
            required = true,
            description = "Where <keyspace>/<table>-<id>/ is made.")
    private Path target = Path.of("");

    @Mixin
    private ContactOptions contact = new ContactOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        contact.requireKeyForIncoming();
        InetSocketAddress address = contact.address("--host", host, spec);
        CqlCluster connected;
        try {
            connected = CqlCluster.connect(contact.of(List.of(address)));
        } catch (StreamException refused) {
            return refused(refused);
        }
        try (CqlCluster cluster = connected;
                CassandraLinks links = contact.links()) {
            CassandraNode node = cluster.nodeAt(address)
                    .orElseThrow(() -> new ConfigException(
                            "--host " + host + ": is not the address of a node (expected: as the cluster calls it)"));
            ClusterView view;
            try {
                view = cluster.view(keyspace);
            } catch (StreamException refused) {
                return refused(refused);
            }
            LiveTable found = table(view, table);
            Path folder = TableDirectory.in(target, keyspace, table, found.id());
            if (fromAll) {
                if (!ranges.isEmpty()) {
                    throw new ConfigException("--ranges: not with --from-all (expected: one of both)");
                }
                var all = new PullFromAll.Order(view, table, found.id(), folder, ContactOptions.TIMEOUT);
                return run(new PullFromAll(all, links), folder, System.out).number();
            }
            var order = new Pull.Order(
                    node.streaming(), keyspace, table, found.id(), wanted(view, node), folder, ContactOptions.TIMEOUT);
            return run(new Pull(order, links), order, node, System.out).number();
        }
    }

    static LiveTable table(ClusterView view, String name) {
        String base = view.materializedViews().get(name);
        if (base != null) {
            throw new ConfigException("--table " + name
                    + ": is a materialized view (expected: a table; pull its base table " + base + ")");
        }
        return view.table(name)
                .orElseThrow(() -> new ConfigException("--table " + name + ": " + view.keyspace()
                        + " has no such table (expected: one of "
                        + view.tables().stream().map(LiveTable::name).toList() + ")"));
    }

    private static Integer refused(StreamException reason) {
        System.err.println("sluice: " + reason.getMessage() + " (nothing was asked for)");
        return ExitCode.REFUSED.number();
    }

    /** Reports before the interruption is closed, which waits for the end of the process on Ctrl-C. */
    static ExitCode run(PullFromAll pull, Path folder, PrintStream out) throws IOException, InterruptedException {
        pull.plans().forEach((node, plan) -> out.println("Plan " + plan + ": all that " + node + " owns"));
        pull.here().forEach(node -> out.println(node + ": its part is here from an earlier attempt"));
        long start = System.nanoTime();
        try (Interruption interruption = Interruption.of(pull::cancel, ExitCode.CANCELLED::number)) {
            PullFromAll.Result result;
            WorkProgress shown = WorkProgress.of(() -> Progress.step(pull.receivedBytes(), pull.promisedBytes()));
            try {
                result = pull.run();
            } finally {
                shown.close();
            }
            result.failures().forEach((node, reason) -> System.err.println("sluice: " + node + ": " + reason));
            if (!result.failures().isEmpty()) {
                System.err.println("sluice: " + folder + " was not made"
                        + (pull.hasParts()
                                ? "; what other nodes gave lies in " + pull.partsFolder()
                                        + ", and the same command asks only for what is missing"
                                : ", and nothing was kept"));
                return interruption.happened() ? ExitCode.CANCELLED : ExitCode.FAILED;
            }
            report(folder, result.sstables(), pull.receivedBytes(), pull.unverified(), System.nanoTime() - start, out);
            return ExitCode.OK;
        }
    }

    private TokenRanges wanted(ClusterView view, CassandraNode node) {
        TokenRanges owned = view.owned().getOrDefault(node, TokenRanges.NONE);
        TokenRanges wanted = ranges.isEmpty()
                ? owned
                : TokenRanges.of(ranges.stream()
                        .map(text -> TokenRangeParser.parse(text, "--ranges", spec))
                        .toList());
        if (!wanted.minus(owned).isEmpty()) {
            throw new ConfigException("--ranges: " + node + " does not own " + wanted.minus(owned)
                    + " (expected: within its own; ask the node that does)");
        }
        if (wanted.isEmpty()) {
            throw new ConfigException("--host " + host + ": owns nothing of " + keyspace);
        }
        return wanted;
    }

    /** The same with one node. */
    static ExitCode run(Pull pull, Pull.Order order, CassandraNode node, PrintStream out)
            throws IOException, InterruptedException {
        out.println("Plan " + pull.planId() + ": " + order.keyspace() + "." + order.table() + " from " + node
                + " (Cassandra " + node.release() + "), "
                + order.ranges().ranges().size()
                + (order.ranges().ranges().size() == 1 ? " range" : " ranges"));
        long start = System.nanoTime();
        try (Interruption interruption = Interruption.of(pull::cancel, ExitCode.CANCELLED::number)) {
            List<SSTable> sstables;
            WorkProgress shown = WorkProgress.of(() -> Progress.step(pull.receivedBytes(), pull.promisedBytes()));
            try {
                sstables = pull.run();
            } catch (StreamException failed) {
                if (!interruption.happened()) {
                    throw failed;
                }
                System.err.println("sluice: " + failed.getMessage() + "; " + order.target() + " was not made");
                return ExitCode.CANCELLED;
            } finally {
                shown.close();
            }
            report(order.target(), sstables, pull.receivedBytes(), pull.unverified(), System.nanoTime() - start, out);
            return ExitCode.OK;
        }
    }

    private static void report(
            Path folder, List<SSTable> sstables, long bytes, int unverified, long nanos, PrintStream out) {
        double seconds = nanos / 1e9;
        if (sstables.isEmpty()) {
            out.println("There is nothing in these ranges; " + folder + " was not made.");
            return;
        }
        out.printf(
                Locale.ROOT,
                "%s: %d %s, %s in %.1f s, %s, %s%n",
                folder,
                sstables.size(),
                sstables.size() == 1 ? "SSTable" : "SSTables",
                ByteFormat.text(bytes),
                seconds,
                ByteFormat.rate(bytes, seconds),
                LiveReport.Session.verification(sstables.size(), unverified));
    }
}
