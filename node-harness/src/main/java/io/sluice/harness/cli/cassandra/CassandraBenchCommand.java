package io.sluice.harness.cli.cassandra;

import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.cassandra.StockLoader;
import io.sluice.harness.cli.CommonEnd;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.scenario.FreeMemory;
import io.sluice.sstable.merge.ContentDigest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice cassandra bench}. Not thread-safe. */
@Command(
        name = "bench",
        addMethodSubcommands = false,
        sortOptions = false,
        description =
                "Loads the same table by ./sluice load and by Cassandra's own loader, in turns, into the same node.",
        footer = {
            "",
            "Times are those of whole processes, from their start to their end; CPU is that of the loading process",
            "alone, user and system. Each load goes into an empty table, and is compared with the files afterwards."
        })
final class CassandraBenchCommand implements Callable<Integer> {
    private static final long DEFAULT_BYTES = 1L << 30;
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final String OURS = "sluice load";
    private static final String THEIRS = "sstableloader";

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
        if (cluster.nodes().size() != 1 || cluster.nodes().get(0).process().isEmpty()) {
            throw new ConfigException(home.folder() + ": " + cluster + " (expected: one node, and running)");
        }
        BenchTable data = BenchTable.generated(home.folder(), size);
        Path table = data.folder();
        StockLoader loader =
                StockLoader.of(cluster.options(), home.folder(), home.folder().resolve("loader"));
        ContentDigest content = data.content();
        Runs all = new Runs(OURS, THEIRS, "client CPU s");
        try (Cql cql = Cql.connect(cluster.options().cql(1))) {
            for (int i = 0; i <= runs; i++) {
                for (String tool : List.of(OURS, THEIRS)) {
                    UUID id = BenchTable.empty(cql, 1);
                    FreeMemory.fetch(home.folder(), data.lengthBytes());
                    Runs.Run run = run(
                            tool,
                            tool.equals(OURS)
                                    ? ours(table, cluster)
                                    : loader.command(table, cluster.options().storagePort()));
                    requireSame(content, cluster.nodes().get(0).data(), id, tool);
                    all.add(run, System.out);
                }
            }
        }
        all.print(data.lengthBytes(), "into one node", System.out);
        return 0;
    }

    private static List<String> ours(Path table, LocalCluster cluster) {
        String home = System.getProperty("sluice.home");
        if (home == null) {
            throw new ConfigException("the bench needs ./sluice itself (expected: begun by ./sluice cassandra bench)");
        }
        return List.of(
                Path.of(home, "sluice").toString(),
                "load",
                table.toString(),
                "--hosts",
                cluster.nodes().get(0).toString());
    }

    private Runs.Run run(String tool, List<String> command) throws IOException, InterruptedException {
        Path log = home.folder().resolve(tool.replace(' ', '-') + ".log");
        long start = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Duration cpu;
        try (CommonEnd common = CommonEnd.with(process)) {
            cpu = ProcessUsage.awaitEnd(common.process(), LIMIT).cpu().orElse(Duration.ZERO);
        }
        if (process.exitValue() != 0) {
            throw new IOException(tool + " ended with code " + process.exitValue() + " (log: " + log + ")");
        }
        return new Runs.Run(tool, (System.nanoTime() - start) / 1e9, cpu.toMillis() / 1e3);
    }

    private static void requireSame(ContentDigest sent, Path data, UUID table, String tool) throws IOException {
        ContentDigest there = BenchTable.digest(data, table);
        if (!there.equals(sent)) {
            throw new IOException(tool + ": the node holds " + there + " (expected: " + sent + ")");
        }
    }
}
