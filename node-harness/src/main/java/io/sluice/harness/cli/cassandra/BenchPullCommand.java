package io.sluice.harness.cli.cassandra;

import com.google.common.io.MoreFiles;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.receive.Pull;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.NodeTool;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.scenario.FreeMemory;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
        addMethodSubcommands = false,
        sortOptions = false,
        description = {
            "Takes a table out of a node by what ./sluice pull does, and by nodetool rebuild of a second node, in turns.",
            "Wants two nodes: ./sluice cassandra up --nodes 2"
        },
        footer = {
            "",
            "Both take the same files out of the same node, over its streams without a throttle. The time of a pull is from",
            "the connection until everything is verified, checksum by checksum and row by row, and durable; that of a",
            "rebuild is what the operation takes. A node that rebuilds verifies nothing. CPU is that of who receives: of",
            "this process, and of the second node."
        })
final class BenchPullCommand implements Callable<Integer> {
    private static final String OURS = "sluice pull";
    private static final String THEIRS = "nodetool rebuild";
    private static final long DEFAULT_BYTES = 1L << 30;
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

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
        try (Cql cql = Cql.connect(cluster.options().cql(1));
                CassandraLinks links = CassandraLinks.create(Optional.empty(), 2, TIMEOUT);
                NodeTool source = NodeTool.of(cluster.nodes().get(0));
                NodeTool second = NodeTool.of(cluster.nodes().get(1))) {
            UUID id = BenchTable.empty(cql, 2);
            cluster.fill(table.folder());
            source.unthrottleStreams();
            second.unthrottleStreams();
            Runs all = new Runs(OURS, THEIRS, "receiver's CPU s");
            for (int i = 0; i <= runs; i++) {
                all.add(pull(table, cluster, id, links), System.out);
                all.add(rebuild(table, second, cluster.nodes().get(1)), System.out);
            }
            all.print(table.lengthBytes(), "out of one node", System.out);
        }
        return 0;
    }

    private Runs.Run pull(BenchTable table, LocalCluster cluster, UUID id, CassandraLinks links)
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
                TIMEOUT);
        FreeMemory.fetch(home.folder(), table.lengthBytes());
        List<SSTable> pulled = new ArrayList<>();
        Runs.Run run = measure(OURS, ProcessHandle.current(), () -> pulled.addAll(new Pull(order, links).run()));
        ContentDigest there = ContentDigest.of(pulled, TokenRanges.FULL);
        if (!there.equals(table.content())) {
            throw new IOException(target + " holds " + there + " (expected: " + table.content() + ")");
        }
        remove(target);
        return run;
    }

    /** What is measured. */
    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static Runs.Run measure(String tool, ProcessHandle receiver, Work work)
            throws IOException, InterruptedException {
        ProcessUsage before = ProcessUsage.of(receiver);
        long start = System.nanoTime();
        work.run();
        double seconds = (System.nanoTime() - start) / 1e9;
        Duration cpu = ProcessUsage.of(receiver).since(before).cpu().orElse(Duration.ZERO);
        return new Runs.Run(tool, seconds, cpu.toMillis() / 1e3);
    }

    /** Each adds one more copy of all SSTables: nothing is compacted. */
    private Runs.Run rebuild(BenchTable table, NodeTool second, LocalNode node)
            throws IOException, InterruptedException {
        long before = dataBytes(node.data());
        FreeMemory.fetch(home.folder(), table.lengthBytes());
        ProcessHandle process = node.process().orElseThrow(() -> new IOException("node " + node + " ended"));
        Runs.Run run = measure(THEIRS, process, () -> second.rebuild(BenchTable.KEYSPACE));
        long came = dataBytes(node.data()) - before;
        long wanted = dataBytes(table.folder());
        if (came < wanted) {
            throw new IOException(
                    "nodetool rebuild: " + came + " bytes of Data.db came (expected: at least " + wanted + ")");
        }
        return run;
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
        if (Files.exists(tree)) {
            MoreFiles.deleteRecursively(tree);
        }
    }
}
