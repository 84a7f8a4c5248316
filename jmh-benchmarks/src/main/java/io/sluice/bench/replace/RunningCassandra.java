package io.sluice.bench.replace;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.sluice.harness.cassandra.ClassPath;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.LocalOptions;
import io.sluice.harness.cassandra.NodeTool;
import io.sluice.harness.cassandra.Release;
import io.sluice.harness.cassandra.SchemaFile;
import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A cluster of real nodes, the last of which is dead, and is replaced again and again by one that then dies, too. Not
 * thread-safe. Nothing is left of it when it is closed.
 */
final class RunningCassandra implements AutoCloseable {
    /**
     * How long a node that joins waits until all know it, before it asks for data. It is 30 s if nobody says otherwise.
     */
    private static final Duration RING_DELAY = Duration.ofSeconds(20);

    private static final Duration DEAD_TIMEOUT = Duration.ofMinutes(2);
    private static final long POLL_MILLIS = 100;
    /** No throttles; and Cassandra's own default for writes, which whoever joins by agents has to wait for. */
    private static final String YAML = """
            stream_throughput_outbound: 0MiB/s
            entire_sstable_stream_throughput_outbound: 0MiB/s
            write_request_timeout: 2s
            """;

    private final Path home;
    private final ClassPath classPath;
    private final LocalCluster cluster;
    private final TableDirectory table;
    private int dead;
    private Optional<LocalNode> joined = Optional.empty();

    private RunningCassandra(Path home, ClassPath classPath, LocalCluster cluster, TableDirectory table) {
        this.home = home;
        this.classPath = classPath;
        this.cluster = cluster;
        this.table = table;
        this.dead = cluster.options().nodes();
    }

    /**
     * Starts all nodes, and loads the table into them.
     *
     * @param home for its files; removed in the end
     */
    static RunningCassandra start(ReplaceCase shape, TableDirectory table, Path home, Binaries binaries)
            throws IOException, InterruptedException {
        LocalOptions options = LocalOptions.of(binaries.release())
                .withNodes(shape.nodes())
                .withTokens(shape.tokens())
                .withPorts(FreePort.onLoopback(), FreePort.onLoopback())
                .withJmx(FreePort.onLoopback())
                .withYaml(YAML);
        LocalCluster cluster = LocalCluster.up(home, options, binaries.classPath());
        RunningCassandra running = new RunningCassandra(home, binaries.classPath(), cluster, table);
        try (Cql cql = Cql.connect(options.cql(1))) {
            // By default it has one replica: what the dead node alone has would be missing, and said.
            cql.execute("ALTER KEYSPACE system_auth WITH replication = {'class': 'SimpleStrategy',"
                    + " 'replication_factor': " + ReplaceCase.REPLICAS + "}");
            SchemaFile.create(table, cql, ReplaceCase.REPLICAS);
            cluster.fill(table.path());
            return running;
        } catch (IOException | InterruptedException | RuntimeException failed) {
            try {
                running.close();
            } catch (IOException left) {
                failed.addSuppressed(left);
            }
            throw failed;
        }
    }

    /** A release, and its jars. */
    record Binaries(Release release, ClassPath classPath) {}

    LocalOptions options() {
        return cluster.options();
    }

    TableDirectory table() {
        return table;
    }

    /** All nodes that there were at first. */
    List<LocalNode> nodes() {
        return cluster.nodes();
    }

    /** Those that live on. */
    List<LocalNode> survivors() {
        return nodes().subList(0, nodes().size() - 1);
    }

    /** The number of the node that is to be replaced next. */
    int dead() {
        return dead;
    }

    /** The last node of the cluster dies. */
    void killLast() throws IOException, InterruptedException {
        remove(nodes().get(nodes().size() - 1));
    }

    /**
     * Starts one more node, in the place of the dead one; does not wait for it.
     *
     * @param javaOptions of its process, in addition to those of all nodes
     */
    LocalNode join(List<String> javaOptions) throws IOException {
        List<String> options = new ArrayList<>(javaOptions);
        options.add("-Dcassandra.ring_delay_ms=" + RING_DELAY.toMillis());
        LocalNode node = cluster.join(dead + 1, new LocalNode.Joining(Optional.of(dead), options), classPath);
        joined = Optional.of(node);
        return node;
    }

    /** Whoever has joined dies, too, with all that it has. */
    void killJoined() throws IOException, InterruptedException {
        if (joined.isPresent()) {
            LocalNode node = joined.get();
            dead = node.number();
            joined = Optional.empty();
            remove(node);
        }
    }

    /** Waits until the others know that it is gone: a node that is taken for alive cannot be replaced. */
    private void remove(LocalNode node) throws IOException, InterruptedException {
        node.stop();
        deleteFolder(node.home());
        long deadline = System.nanoTime() + DEAD_TIMEOUT.toNanos();
        for (LocalNode survivor : survivors()) {
            try (NodeTool tool = NodeTool.of(survivor)) {
                while (isAlive(node, tool)) {
                    if (System.nanoTime() > deadline) {
                        throw new IOException("node " + survivor + " still takes " + node + " for alive "
                                + DEAD_TIMEOUT.toSeconds() + " s after its end (log: " + survivor.log() + ")");
                    }
                    Thread.sleep(POLL_MILLIS);
                }
            }
        }
    }

    private static boolean isAlive(LocalNode node, NodeTool tool) throws IOException {
        String host = LocalOptions.host(node.number());
        return tool.liveNodes().stream().anyMatch(live -> live.equals(host) || live.startsWith(host + ":"));
    }

    /** What a node holds of the table. */
    List<SSTable> sstables(LocalNode node) throws IOException {
        return TableFiles.open(GivenNode.of(node.data(), table)
                .orElseThrow(() -> new IOException("no SSTable of the table is at node " + node)));
    }

    static ProcessHandle process(LocalNode node) throws IOException {
        return node.process().orElseThrow(() -> new IOException("node " + node + " ended"));
    }

    List<ProcessHandle> sources() throws IOException {
        List<ProcessHandle> sources = new ArrayList<>();
        for (LocalNode node : survivors()) {
            sources.add(process(node));
        }
        return sources;
    }

    private static void deleteFolder(Path folder) throws IOException {
        if (Files.exists(folder)) {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }

    /** Kills all nodes, and removes their files, also on a thread that was interrupted. */
    @Override
    public void close() throws IOException {
        List<LocalNode> all = new ArrayList<>(nodes());
        joined.ifPresent(all::add);
        boolean wasInterrupted = Thread.interrupted();
        for (LocalNode node : all) {
            try {
                node.kill();
            } catch (InterruptedException e) {
                wasInterrupted = true; // it was killed, though not waited for
            }
        }
        deleteFolder(home);
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
