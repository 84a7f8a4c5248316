package io.sluice.harness.cli.cassandra;

import io.sluice.cassandra.local.Cql;
import io.sluice.cassandra.local.LocalCluster;
import io.sluice.cassandra.local.StockLoader;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.Bytes;
import io.sluice.harness.report.TextTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.ContentDigest;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice cassandra bench}. Not thread-safe. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Loads the same table by ./sluice load and by Cassandra's own loader, in turns, into the same node.",
        footer = {
            "",
            "Times are those of whole processes, from their start to their end; CPU is that of the loading process",
            "alone, user and system. Each load goes into an empty table, and is compared with the files afterwards."
        })
final class BenchCommand implements Callable<Integer> {
    private static final String KEYSPACE = "bench";
    private static final String TABLE = "users";
    private static final long DEFAULT_BYTES = 1L << 30;
    private static final long SSTABLE_BYTES = 160L << 20;
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final long SAMPLE_MILLIS = 10;
    private static final double BYTES_PER_MEGABYTE = 1e6;

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

    /** One load. */
    private record Run(String tool, double seconds, double cpuSeconds) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        LocalCluster cluster = home.cluster();
        if (cluster.nodes().size() != 1 || cluster.nodes().get(0).process().isEmpty()) {
            throw new ConfigException(home.folder() + ": " + cluster + " (expected: one node, and running)");
        }
        Path table = generated();
        StockLoader loader =
                StockLoader.of(cluster.options(), home.folder(), home.folder().resolve("loader"));
        ContentDigest content = digest(table, new UUID(0, 1));
        List<Run> counted = new ArrayList<>();
        try (Cql cql = Cql.connect(cluster.options().cql(1))) {
            for (int i = 0; i <= runs; i++) {
                for (String tool : List.of("sluice load", "sstableloader")) {
                    UUID id = empty(cql);
                    Run run = run(
                            tool,
                            tool.startsWith("sluice")
                                    ? ours(table, cluster)
                                    : loader.command(table, cluster.options().storagePort()));
                    requireSame(content, cluster.nodes().get(0).data(), id, tool);
                    System.out.printf(
                            Locale.ROOT,
                            "  %-14s %6.1f s  CPU %5.1f s%s%n",
                            tool,
                            run.seconds(),
                            run.cpuSeconds(),
                            i == 0 ? "  (warm-up)" : "");
                    if (i > 0) {
                        counted.add(run);
                    }
                }
            }
        }
        print(counted, bytesIn(table));
        return 0;
    }

    private Path generated() throws IOException {
        Path root = home.folder().resolve("bench-data-" + size);
        Path table = root.resolve(KEYSPACE).resolve(TABLE + "-" + "0".repeat(31) + "1");
        if (!Files.exists(root.resolve("complete"))) {
            System.out.println("Generating " + Bytes.text(size) + " (kept for later runs)");
            Files.createDirectories(table);
            new DataSetWriter(DataSet.ofBytes(1, size), Version.NB, WriterOptions.DEFAULTS)
                    .write(table, TokenRanges.FULL.ranges(), (int) Math.max(1, size / SSTABLE_BYTES), 1);
            Files.createFile(root.resolve("complete"));
        }
        return table;
    }

    /** Without compaction: it would begin while the next load is measured. */
    private static UUID empty(Cql cql) throws IOException {
        cql.execute("CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        cql.execute("DROP TABLE IF EXISTS " + KEYSPACE + "." + TABLE);
        cql.execute("CREATE TABLE " + KEYSPACE + "." + TABLE
                + " (key text, column1 int, value text, PRIMARY KEY (key, column1)) WITH compression ="
                + " {'enabled': false} AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        Cql.Answer answer = cql.execute("SELECT id FROM system_schema.tables WHERE keyspace_name = '" + KEYSPACE
                + "' AND table_name = '" + TABLE + "'");
        return UUID.fromString(answer.rows().get(0).get(0));
    }

    private static List<String> ours(Path table, LocalCluster cluster) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", // as ./sluice does it
                "-cp",
                System.getProperty("java.class.path"),
                "io.sluice.harness.cli.Main",
                "load",
                table.toString(),
                "--hosts",
                cluster.nodes().get(0).toString());
    }

    private Run run(String tool, List<String> command) throws IOException, InterruptedException {
        Path log = home.folder().resolve(tool.replace(' ', '-') + ".log");
        long start = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Duration cpu = Duration.ZERO;
        // What a process has used can be asked for only while it runs.
        while (!process.waitFor(SAMPLE_MILLIS, TimeUnit.MILLISECONDS)) {
            cpu = ProcessUsage.of(process.toHandle()).cpu().orElse(cpu);
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                process.destroyForcibly();
            }
        }
        if (process.exitValue() != 0) {
            throw new IOException(tool + " ended with code " + process.exitValue() + " (log: " + log + ")");
        }
        return new Run(tool, (System.nanoTime() - start) / 1e9, cpu.toMillis() / 1e3);
    }

    private static ContentDigest digest(Path folder, UUID table) throws IOException {
        ContentDigest all = ContentDigest.EMPTY;
        for (TableDirectory found : TableDirectory.find(folder)) {
            if (found.id().equals(table)) { // dropped ones may still lie beside it
                for (TableFiles files : TableFiles.openAll(found.path())) {
                    all = all.plus(ContentDigest.of(files.sstables(), TokenRanges.FULL));
                }
            }
        }
        return all;
    }

    private static void requireSame(ContentDigest sent, Path data, UUID table, String tool) throws IOException {
        ContentDigest there = digest(data, table);
        if (!there.equals(sent)) {
            throw new IOException(tool + ": the node holds " + there + " (expected: " + sent + ")");
        }
    }

    private static long bytesIn(Path folder) throws IOException {
        return TableFiles.openAll(folder).stream()
                .mapToLong(TableFiles::bytesOnDisk)
                .sum();
    }

    private static void print(List<Run> all, long bytes) {
        TextTable table = new TextTable("median of " + all.size() / 2, "seconds", "MB/s", "client CPU s");
        double[] seconds = new double[2];
        double[] cpu = new double[2];
        for (int i = 0; i < 2; i++) {
            String tool = all.get(i).tool();
            List<Run> ofTool =
                    all.stream().filter(run -> run.tool().equals(tool)).toList();
            seconds[i] = median(ofTool.stream().map(Run::seconds).sorted().toList());
            cpu[i] = median(ofTool.stream().map(Run::cpuSeconds).sorted().toList());
            table.row(
                    tool,
                    String.format(Locale.ROOT, "%.1f", seconds[i]),
                    String.format(Locale.ROOT, "%.0f", bytes / BYTES_PER_MEGABYTE / seconds[i]),
                    String.format(Locale.ROOT, "%.1f", cpu[i]));
        }
        System.out.println();
        System.out.println(Bytes.text(bytes) + ", into one node");
        table.print(System.out);
        System.out.printf(
                Locale.ROOT,
                "sluice load: %.2f times as fast, with %.2f of the client's CPU%n",
                seconds[1] / seconds[0],
                cpu[0] / cpu[1]);
    }

    private static double median(List<Double> sorted) {
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
