package io.sluice.bench.compare;

import io.sluice.harness.cassandra.ClassPath;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.LocalOptions;
import io.sluice.harness.cassandra.NodeTool;
import io.sluice.harness.cassandra.Release;
import io.sluice.harness.cassandra.SchemaFile;
import io.sluice.harness.cassandra.StockLoader;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.sstable.TableDirectory;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures real Cassandra moving the same table: with its loader into a node, and by rebuild of a second node, as whole
 * SSTables and as rows. Not thread-safe; starts nodes, and stops them before it returns.
 */
final class CassandraRows {
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final String UNTHROTTLED = """
            stream_throughput_outbound: 0MiB/s
            entire_sstable_stream_throughput_outbound: 0MiB/s
            """;

    private final TableDirectory table;
    private final Path home;
    private final int rounds;
    private final long dataBytes;
    private final PrintStream people;

    /**
     * @param table beside the schema that it was generated for
     * @param home folder for nodes; made if need be
     * @param dataBytes uncompressed bytes of the table
     */
    CassandraRows(TableDirectory table, Path home, int rounds, long dataBytes, PrintStream people) {
        this.table = table;
        this.home = home;
        this.rounds = rounds;
        this.dataBytes = dataBytes;
        this.people = people;
    }

    /** Measures all rounds; returns the rows of the result. */
    List<CompareResult.Row> measure() throws IOException {
        try {
            return List.of(
                    row(
                            "Cassandra: sstableloader",
                            "the loader of 5.0 into a node of 5.0, as a process from start to end; measured alone",
                            loader()),
                    row(
                            "Cassandra: whole, node to node",
                            "nodetool rebuild of a second node of 5.0, whole SSTables; verifies nothing; measured alone",
                            rebuild("")),
                    row(
                            "Cassandra: rows, node to node",
                            "the same with stream_entire_sstables: false; the receiver decodes every row",
                            rebuild("stream_entire_sstables: false\n")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Cassandra was measured", e);
        }
    }

    private CompareResult.Row row(String mode, String what, List<Run> runs) {
        return CompareResult.row(mode, what, runs, dataBytes, null, null);
    }

    private LocalCluster up(int nodes, String yaml) throws IOException, InterruptedException {
        people.println("starting " + nodes + (nodes == 1 ? " node" : " nodes") + " of Cassandra");
        Release release = Release.of("5.0");
        LocalOptions options = LocalOptions.of(release)
                .withNodes(nodes)
                .withPorts(FreePort.onLoopback(), FreePort.onLoopback())
                .withYaml(UNTHROTTLED + yaml);
        return LocalCluster.up(Files.createTempDirectory(Files.createDirectories(home), "nodes"), options, classPath());
    }

    private ClassPath classPath() throws IOException, InterruptedException {
        return ClassPath.resolve(Release.of("5.0"), home);
    }

    /** Work on a cluster that is removed afterwards. */
    private interface Measurement {
        List<Run> on(LocalCluster cluster, Cql cql) throws IOException, InterruptedException;
    }

    private List<Run> with(int nodes, String yaml, Measurement measurement) throws IOException, InterruptedException {
        LocalCluster cluster = up(nodes, yaml);
        Thread ifWeAreEnded = new Thread(() -> down(cluster), "stop-nodes");
        Runtime.getRuntime().addShutdownHook(ifWeAreEnded);
        try (Cql cql = Cql.connect(cluster.options().cql(1))) {
            return measurement.on(cluster, cql);
        } finally {
            Runtime.getRuntime().removeShutdownHook(ifWeAreEnded);
            down(cluster);
        }
    }

    private void down(LocalCluster cluster) {
        try {
            cluster.down();
            cluster.wipe();
        } catch (IOException e) {
            people.println("could not remove nodes in " + home + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<Run> loader() throws IOException, InterruptedException {
        return with(1, "", (cluster, cql) -> {
            SchemaFile.create(table, cql, 1);
            LocalNode node = cluster.nodes().get(0);
            List<String> command = StockLoader.of(cluster.options(), home, home.resolve("loader"))
                    .command(table.path(), cluster.options().storagePort());
            List<Run> runs = new ArrayList<>();
            for (int round = -1; round < rounds; round++) {
                cql.execute("TRUNCATE " + table.keyspace() + "." + table.name());
                Set<Path> before = dataFiles(node.data());
                ProcessUsage nodeBefore = usage(node);
                long start = System.nanoTime();
                ProcessUsage loader = await(command);
                double seconds = (System.nanoTime() - start) / 1e9;
                Run run = run(seconds, loader, usage(node).since(nodeBefore), requireCame(node, before));
                add(run, round, "sstableloader", runs);
            }
            return runs;
        });
    }

    private static ProcessUsage await(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        ProcessUsage usage = ProcessUsage.awaitEnd(process, LIMIT);
        if (process.exitValue() != 0) {
            throw new IOException("sstableloader exited with code " + process.exitValue() + " (expected: 0)");
        }
        return usage;
    }

    private List<Run> rebuild(String yaml) throws IOException, InterruptedException {
        return with(2, yaml, (cluster, cql) -> {
            LocalNode source = cluster.nodes().get(0);
            LocalNode target = cluster.nodes().get(1);
            SchemaFile.create(table, cql, 2);
            cluster.fill(table.path());
            List<Run> runs = new ArrayList<>();
            try (NodeTool second = NodeTool.of(target)) {
                for (int round = -1; round < rounds; round++) {
                    Set<Path> before = dataFiles(target.data());
                    ProcessUsage sourceBefore = usage(source);
                    ProcessUsage targetBefore = usage(target);
                    long start = System.nanoTime();
                    second.rebuild(table.keyspace()); // one more copy each time
                    double seconds = (System.nanoTime() - start) / 1e9;
                    Run run = run(
                            seconds,
                            usage(source).since(sourceBefore),
                            usage(target).since(targetBefore),
                            requireCame(target, before));
                    add(run, round, yaml.isEmpty() ? "whole, node to node" : "rows, node to node", runs);
                }
            }
            return runs;
        });
    }

    private void add(Run run, int round, String what, List<Run> runs) {
        people.printf(Locale.ROOT, "  %-20s %5.1f s%s%n", what, run.seconds(), round < 0 ? "  (does not count)" : "");
        if (round >= 0) {
            runs.add(run);
        }
    }

    private static ProcessUsage usage(LocalNode node) throws IOException {
        return node.process().map(ProcessUsage::of).orElse(ProcessUsage.UNKNOWN);
    }

    private static Run run(double seconds, ProcessUsage sender, ProcessUsage receiver, long filesBytes) {
        return new Run(seconds, cpu(sender), cpu(receiver), 0, 0, 0, filesBytes, 0);
    }

    private static double cpu(ProcessUsage usage) {
        return usage.cpu().map(time -> time.toNanos() / 1e9).orElse(0.0);
    }

    /** Bytes of new Data.db files; an error if there are less than nine tenths of the expected bytes. */
    private long requireCame(LocalNode node, Set<Path> before) throws IOException {
        Set<Path> came = new HashSet<>(dataFiles(node.data()));
        came.removeAll(before);
        long bytes = bytesOf(came);
        long wanted = bytesOf(dataFiles(table.path()));
        if (bytes < wanted / 10 * 9) {
            throw new IOException(
                    "only " + bytes + " bytes of Data.db arrived at " + node + " (expected: about " + wanted + ")");
        }
        return bytes;
    }

    private static long bytesOf(Set<Path> files) throws IOException {
        long sum = 0;
        for (Path file : files) {
            sum += Files.size(file);
        }
        return sum;
    }

    private Set<Path> dataFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith("-Data.db"))
                    .filter(file -> String.valueOf(file.getParent()).contains(table.name() + "-"))
                    .collect(Collectors.toSet());
        }
    }
}
