package io.sluice.harness.cli.cassandra;

import io.sluice.cassandra.load.BulkLoad;
import io.sluice.cassandra.load.LoadOptions;
import io.sluice.cassandra.load.LoadResult;
import io.sluice.cassandra.local.Cql;
import io.sluice.cassandra.local.LocalCluster;
import io.sluice.cassandra.local.LocalNode;
import io.sluice.cassandra.local.NodeTool;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.receive.Pull;
import io.sluice.cassandra.ring.Cluster;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.Bytes;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.scenario.FreeMemory;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice cassandra bench-pull}. Not thread-safe. */
@Command(
        name = "bench-pull",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Takes a table out of a node by what ./sluice pull does, and by nodetool rebuild of a second node, in turns.",
            "Wants two nodes: ./sluice cassandra up --nodes 2"
        },
        footer = {
            "",
            "Both take the same files out of the same node, over its streams without a throttle. The time of a pull is from",
            "the connection until everything is verified, checksum by checksum and row by row, and durable; that of a",
            "rebuild is what the operation takes. A node that rebuilds verifies nothing."
        })
final class BenchPullCommand implements Callable<Integer> {
    private static final long DEFAULT_BYTES = 1L << 30;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "About how much Data.db, in SSTables of 160 MiB (default: 1GiB; kept for later runs).")
    private long size = DEFAULT_BYTES;

    @Option(names = "--runs", paramLabel = "N", description = "Of each, after one that does not count (default: 3).")
    private int runs = 3;

    @Mixin
    private Home home = new Home();

    @Override
    public Integer call() throws IOException, InterruptedException {
        LocalCluster cluster = home.cluster();
        if (cluster.nodes().size() != 2 || cluster.nodes().get(1).process().isEmpty()) {
            throw new ConfigException(home.folder() + ": " + cluster + " (expected: two nodes, and running)");
        }
        BenchTable table = BenchTable.generated(home.folder(), size);
        var contact = new Cluster.Contact(
                List.of(cluster.options().cql(1)),
                Optional.empty(),
                Optional.empty(),
                cluster.options().storagePort());
        try (Cql cql = Cql.connect(cluster.options().cql(1));
                Cluster seen = Cluster.connect(contact);
                Links links = Links.create(Optional.empty(), 2, PATIENCE);
                NodeTool source = NodeTool.of(cluster.nodes().get(0));
                NodeTool second = NodeTool.of(cluster.nodes().get(1))) {
            UUID id = BenchTable.empty(cql, 2);
            fill(table, seen, links);
            source.unthrottleStreams();
            second.unthrottleStreams();
            List<Double> pulls = new ArrayList<>();
            List<Double> rebuilds = new ArrayList<>();
            for (int i = 0; i <= runs; i++) {
                String note = i == 0 ? "  (warm-up)" : "";
                double pull = pull(table, cluster, id, links);
                System.out.printf(Locale.ROOT, "  %-16s %6.1f s%s%n", "sluice pull", pull, note);
                double rebuild = rebuild(table, second, cluster.nodes().get(1));
                System.out.printf(Locale.ROOT, "  %-16s %6.1f s%s%n", "nodetool rebuild", rebuild, note);
                if (i > 0) {
                    pulls.add(pull);
                    rebuilds.add(rebuild);
                }
            }
            print(pulls, rebuilds, table.lengthBytes());
        }
        return 0;
    }

    private static void fill(BenchTable table, Cluster cluster, Links links) throws IOException, InterruptedException {
        BulkLoad load =
                BulkLoad.prepare(table.folder(), cluster, links, new LoadOptions(Optional.empty(), 0, 2, PATIENCE));
        for (LoadResult result : load.run()) {
            if (result.failure().isPresent()) {
                throw new IOException(
                        "the nodes could not be filled: " + result.failure().get());
            }
        }
    }

    private double pull(BenchTable table, LocalCluster cluster, UUID id, Links links)
            throws IOException, InterruptedException {
        Path target = home.folder().resolve("bench-pulled");
        remove(target);
        var order = new Pull.Order(
                cluster.options().storage(1),
                BenchTable.KEYSPACE,
                BenchTable.TABLE,
                id,
                TokenRanges.FULL,
                target,
                PATIENCE);
        FreeMemory.fetch(home.folder(), table.lengthBytes());
        long start = System.nanoTime();
        List<SSTable> pulled = new Pull(order, links).run();
        double seconds = (System.nanoTime() - start) / 1e9;
        ContentDigest there = ContentDigest.of(pulled, TokenRanges.FULL);
        if (!there.equals(table.content())) {
            throw new IOException(target + " holds " + there + " (expected: " + table.content() + ")");
        }
        remove(target);
        return seconds;
    }

    /** Each adds one more copy of all SSTables: nothing is compacted. */
    private double rebuild(BenchTable table, NodeTool second, LocalNode node) throws IOException {
        long before = dataBytes(node.data());
        FreeMemory.fetch(home.folder(), table.lengthBytes());
        long start = System.nanoTime();
        second.rebuild(BenchTable.KEYSPACE);
        double seconds = (System.nanoTime() - start) / 1e9;
        long came = dataBytes(node.data()) - before;
        long wanted = dataBytes(table.folder());
        if (came < wanted) {
            throw new IOException(
                    "nodetool rebuild: " + came + " bytes of Data.db came (expected: at least " + wanted + ")");
        }
        return seconds;
    }

    private static long dataBytes(Path folder) throws IOException {
        long sum = 0;
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith("-Data.db")).toList()) {
                sum += file.toString().contains(BenchTable.TABLE + "-") ? Files.size(file) : 0;
            }
        }
        return sum;
    }

    private static void remove(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static void print(List<Double> pulls, List<Double> rebuilds, long bytes) {
        double pull = BenchTable.median(pulls.stream().sorted().toList());
        double rebuild = BenchTable.median(rebuilds.stream().sorted().toList());
        TextTable table = new TextTable("median of " + pulls.size(), "seconds", "MB/s");
        table.row(
                "sluice pull",
                String.format(Locale.ROOT, "%.1f", pull),
                String.format(Locale.ROOT, "%.0f", Bytes.megabytesPerSecond(bytes, pull)));
        table.row(
                "nodetool rebuild",
                String.format(Locale.ROOT, "%.1f", rebuild),
                String.format(Locale.ROOT, "%.0f", Bytes.megabytesPerSecond(bytes, rebuild)));
        System.out.println();
        System.out.println(Bytes.text(bytes) + ", out of one node");
        table.print(System.out);
        System.out.printf(Locale.ROOT, "sluice pull: %.2f times as fast%n", rebuild / pull);
    }
}
