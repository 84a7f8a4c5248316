package io.sluice.interop.live;

import com.google.common.io.MoreFiles;
import io.sluice.harness.cassandra.ClassPath;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.LocalOptions;
import io.sluice.harness.cassandra.Release;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;

/** Real nodes for one test class, removed with all they hold when it is closed. Not thread-safe. */
final class LiveCluster implements AutoCloseable {
    static final Path HOME = Path.of("target", "cassandra").toAbsolutePath();

    private final Path folder;
    private final ClassPath classPath;
    private final Cql cql;
    private final Thread ifWeAreKilled = new Thread(this::kill, "kill-nodes");
    private final List<LocalNode> joined = new ArrayList<>();
    private LocalCluster cluster;

    private LiveCluster(Path folder, ClassPath classPath, LocalCluster cluster, Cql cql) {
        this.folder = folder;
        this.classPath = classPath;
        this.cluster = cluster;
        this.cql = cql;
        Runtime.getRuntime().addShutdownHook(ifWeAreKilled);
    }

    private void kill() {
        try {
            for (LocalNode node : joined) {
                node.kill();
            }
            for (LocalNode node : cluster.nodes()) {
                node.kill();
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("nodes in " + folder + " may still run: " + e);
        }
    }

    /** How CQL is reached. */
    interface Connector {
        Cql connect(InetSocketAddress node) throws IOException, InterruptedException;
    }

    /** Starts nodes; where Cassandra cannot be fetched the tests are skipped, and a line says so. */
    static LiveCluster start(String release, UnaryOperator<LocalOptions> wanted)
            throws IOException, InterruptedException {
        return start(release, wanted, Cql::connect, folder -> {});
    }

    /** Prepares the folder of a cluster, in which each node has one of its own. */
    interface Preparation {
        void of(Path folder) throws IOException;
    }

    /** The same for nodes that need files which Cassandra looks for. */
    static LiveCluster startPrepared(String release, UnaryOperator<LocalOptions> wanted, Preparation preparation)
            throws IOException, InterruptedException {
        return start(release, wanted, Cql::connect, preparation);
    }

    /** The same for nodes that do not talk to everybody. */
    static LiveCluster start(String release, UnaryOperator<LocalOptions> wanted, Connector connector)
            throws IOException, InterruptedException {
        return start(release, wanted, connector, folder -> {});
    }

    private static LiveCluster start(
            String release, UnaryOperator<LocalOptions> wanted, Connector connector, Preparation preparation)
            throws IOException, InterruptedException {
        Release exact = Release.of(release);
        ClassPath classPath = classPath(exact);
        // The command line looks for a cluster under this name in its --work-dir.
        Path folder = Files.createTempDirectory(Files.createDirectories(HOME), "cluster")
                .resolve("cassandra");
        preparation.of(folder);
        LocalOptions options = withJava(wanted.apply(LocalOptions.of(exact)));
        LocalCluster cluster = LocalCluster.up(
                folder, options.withPorts(freePort(options.nodes()), freePort(options.nodes())), classPath);
        try {
            return new LiveCluster(
                    folder,
                    classPath,
                    cluster,
                    connector.connect(cluster.options().cql(1)));
        } catch (IOException | RuntimeException | Error failed) {
            cluster.down();
            throw failed;
        }
    }

    /** Nodes run on the Java at {@code -Dcassandra.java=HOME}, if it is given: 5.0 and 4.1 also run on 11. */
    private static LocalOptions withJava(LocalOptions options) {
        String home = System.getProperty("cassandra.java", "");
        return home.isEmpty() ? options : options.withJava(Path.of(home));
    }

    /** Fails where Cassandra cannot be fetched; skips the test there with {@code -Dcassandra.optional=true}. */
    static void requireCassandra(String release) throws IOException, InterruptedException {
        classPath(Release.of(release));
    }

    private static ClassPath classPath(Release release) throws IOException, InterruptedException {
        try {
            return ClassPath.resolve(release, HOME);
        } catch (IOException unreachable) {
            Assumptions.assumeFalse(
                    Boolean.getBoolean("cassandra.optional"), "no live Cassandra: " + unreachable.getMessage());
            throw unreachable;
        }
    }

    /** A port that is free on the addresses of all nodes. */
    private static int freePort(int nodes) throws IOException {
        while (true) {
            int port = FreePort.onLoopback();
            boolean isFree = true;
            for (int node = 2; node <= nodes; node++) {
                isFree &= isFree("127.0.0." + node, port);
            }
            if (isFree) {
                return port;
            }
        }
    }

    private static boolean isFree(String host, int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(host))) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** The {@code --work-dir} of these nodes. */
    Path workDir() {
        return folder.resolveSibling("");
    }

    /** Of the nodes' release. */
    ClassPath classPath() {
        return classPath;
    }

    Cql cql() {
        return cql;
    }

    LocalOptions options() {
        return cluster.options();
    }

    InetSocketAddress contact() {
        return cluster.options().cql(1);
    }

    /** Nodes count from 1. */
    LocalNode node(int number) {
        return cluster.nodes().get(number - 1);
    }

    /** Starts one more node, which joins, and does not wait for it. */
    LocalNode join(LocalNode.Joining how) throws IOException {
        LocalNode node = cluster.join(cluster.options().nodes() + joined.size() + 1, how, classPath);
        joined.add(node);
        return node;
    }

    /** Starts a node again that was killed, and joined in this way before; does not wait for it. */
    LocalNode restart(LocalNode node, LocalNode.Joining how) throws IOException {
        LocalNode again = cluster.join(node.number(), how, classPath);
        joined.removeIf(other -> other.number() == node.number());
        joined.add(again);
        return again;
    }

    /** Starts the nodes that were killed. */
    void restart() throws IOException, InterruptedException {
        cluster = LocalCluster.up(folder, cluster.options(), classPath);
    }

    /**
     * Executes the statements of a fixture's schema with another keyspace in the place of its own, and an id that the
     * node gives; the table's id.
     */
    UUID create(Path schema, String ownKeyspace, String keyspace, String table) throws IOException {
        for (String statement : Cql.statements(Files.readString(schema))) {
            cql.execute(statement
                    .replace(ownKeyspace + ".", keyspace + ".")
                    .replace("EXISTS " + ownKeyspace, "EXISTS " + keyspace)
                    .replaceAll("ID = [0-9a-f-]+ AND ", ""));
        }
        return UUID.fromString(cql.execute("SELECT id FROM system_schema.tables WHERE keyspace_name = '" + keyspace
                        + "' AND table_name = '" + table + "'")
                .rows()
                .get(0)
                .get(0));
    }

    /** What lies in a node's folder of a table. */
    List<SSTable> files(int node, UUID table) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (TableDirectory folderOfTable : TableDirectory.find(node(node).data())) {
            if (folderOfTable.id().equals(table)) {
                for (Descriptor descriptor : folderOfTable.descriptors()) {
                    sstables.add(SSTable.open(folderOfTable.path(), descriptor));
                }
            }
        }
        return sstables;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        cql.close();
        for (LocalNode node : joined) {
            node.kill();
        }
        Runtime.getRuntime().removeShutdownHook(ifWeAreKilled);
        cluster.down();
        cluster.wipe();
        MoreFiles.deleteRecursively(workDir()); // what the stock loader wrote for itself
    }
}
