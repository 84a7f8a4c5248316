package io.sluice.harness.cassandra;

import com.google.common.io.MoreFiles;
import io.sluice.cassandra.load.BulkLoad;
import io.sluice.cassandra.load.LoadOptions;
import io.sluice.cassandra.load.LoadResult;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.ring.CqlCluster;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.IntStream;

/**
 * A cluster of real nodes in a folder; one process may start it and another stop it, but only one manages it at a time.
 * The nodes are separate processes.
 */
public final class LocalCluster {
    private static final String SETTINGS = "cluster.properties";
    private static final int WANTED_JAVA = 17;
    private static final Duration RING_PATIENCE = Duration.ofSeconds(60);
    private static final Duration FILL_PATIENCE = Duration.ofMinutes(10);
    private static final long POLL_MILLIS = 200;

    private final Path folder;
    private final LocalOptions options;

    private LocalCluster(Path folder, LocalOptions options) {
        this.folder = folder;
        this.options = options;
    }

    /** {@link #up(Path, LocalOptions, ClassPath, Runnable)} for somebody who does not watch. */
    public static LocalCluster up(Path folder, LocalOptions options, ClassPath classPath)
            throws IOException, InterruptedException {
        return up(folder, options, classPath, () -> {});
    }

    /**
     * Starts the nodes that are not running, and waits until all serve and know each other.
     *
     * @param folder of the cluster; created if missing
     * @param serves runs once for each node that takes CQL, or was running before
     * @throws IOException saying what to do, if that fails; the nodes that this call started are stopped then
     */
    public static LocalCluster up(Path folder, LocalOptions options, ClassPath classPath, Runnable serves)
            throws IOException, InterruptedException {
        if (options.javaHome().isEmpty()) {
            requireJava();
        }
        Path home = folder.toAbsolutePath().normalize();
        Optional<LocalCluster> before = find(home);
        if (before.isPresent() && !before.get().settings().equals(settings(options))) {
            throw new IOException(home + " holds a cluster of " + before.get() + " (expected: " + describe(options)
                    + "; remove it with ./sluice cassandra down --wipe, or choose another --work-dir)");
        }
        LocalCluster cluster = new LocalCluster(home, options);
        cluster.start(classPath, serves);
        return cluster;
    }

    private static void requireJava() throws IOException {
        if (Runtime.version().feature() != WANTED_JAVA) {
            throw new IOException("Cassandra runs on Java " + WANTED_JAVA + ", this is "
                    + Runtime.version().feature() + " (expected: JAVA_HOME names a JDK " + WANTED_JAVA + ")");
        }
    }

    private void start(ClassPath classPath, Runnable serves) throws IOException, InterruptedException {
        List<LocalNode> starting = new ArrayList<>();
        try {
            for (LocalNode node : nodes()) {
                if (node.process().isEmpty()) {
                    requireFree(options.cql(node.number()), "--cql-port");
                    requireFree(options.storage(node.number()), "--storage-port");
                    starting.add(node);
                } else {
                    serves.run();
                }
            }
            Files.createDirectories(folder);
            try (Writer out = Files.newBufferedWriter(folder.resolve(SETTINGS))) {
                settings().store(out, null);
            }
            for (LocalNode node : starting) {
                node.start(classPath);
                if (node.number() == 1) {
                    node.awaitReady(); // the seed of the others
                    serves.run();
                }
            }
            for (LocalNode node : starting) {
                if (node.number() > 1) {
                    node.awaitReady();
                    serves.run();
                }
            }
            if (options.nodes() > 1) {
                awaitRing();
            }
        } catch (IOException | InterruptedException | RuntimeException failed) {
            for (LocalNode node : starting) {
                node.kill();
            }
            throw failed;
        }
    }

    private void awaitRing() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + RING_PATIENCE.toNanos();
        try (Cql cql = Cql.connect(options.cql(1))) {
            while (!cql.everyNodeSees(options.nodes())) {
                if (System.nanoTime() > deadline) {
                    throw new IOException("the nodes did not all see each other within " + RING_PATIENCE.toSeconds()
                            + " s after their start (logs: " + folder + ")");
                }
                Thread.sleep(POLL_MILLIS);
            }
        }
    }

    private static void requireFree(InetSocketAddress address, String option) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        } catch (BindException e) {
            String host = address.getAddress().getHostAddress();
            throw new IOException(
                    host + ":" + address.getPort() + ": " + e.getMessage() + " (end who listens there, or choose "
                            + option + "; on macOS an address but 127.0.0.1 is made by: sudo ifconfig lo0 alias " + host
                            + ")",
                    e);
        }
    }

    /** The cluster of a folder, running or not, if there is one. */
    public static Optional<LocalCluster> find(Path folder) throws IOException {
        Path home = folder.toAbsolutePath().normalize();
        Path file = home.resolve(SETTINGS);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties kept = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            kept.load(in);
        }
        try {
            return Optional.of(new LocalCluster(home, options(kept)));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage() + " (remove the folder)", e);
        }
    }

    private Properties settings() {
        return settings(options);
    }

    private static Properties settings(LocalOptions options) {
        Properties settings = new Properties();
        settings.setProperty("release", options.release().version());
        settings.setProperty("nodes", String.valueOf(options.nodes()));
        settings.setProperty("tokens", String.valueOf(options.tokensPerNode()));
        settings.setProperty("cql_port", String.valueOf(options.cqlPort()));
        settings.setProperty("storage_port", String.valueOf(options.storagePort()));
        options.firstJmxPort().ifPresent(port -> settings.setProperty("jmx_port", String.valueOf(port)));
        options.compatibilityMode().ifPresent(mode -> settings.setProperty("compatibility", mode));
        return settings;
    }

    private static LocalOptions options(Properties kept) {
        return new LocalOptions(
                new Release(kept.getProperty("release", "")),
                number(kept, "nodes"),
                number(kept, "tokens"),
                number(kept, "cql_port"),
                number(kept, "storage_port"),
                Optional.ofNullable(kept.getProperty("compatibility")),
                Optional.ofNullable(kept.getProperty("jmx_port")).map(Integer::valueOf),
                Optional.empty(),
                "");
    }

    private static int number(Properties kept, String key) {
        return Integer.parseInt(kept.getProperty(key, ""));
    }

    public LocalOptions options() {
        return options;
    }

    /** All nodes, running or not. */
    public List<LocalNode> nodes() {
        return IntStream.rangeClosed(1, options.nodes())
                .mapToObj(number -> new LocalNode(number, folder.resolve("node" + number), options))
                .toList();
    }

    /**
     * Starts one more node, which joins the running ones; does not wait for it to join. It is not among {@link #nodes}:
     * the caller stops it.
     *
     * @param number determines its address; greater than that of all others
     */
    public LocalNode join(int number, LocalNode.Joining how, ClassPath classPath) throws IOException {
        requireFree(options.cql(number), "--cql-port");
        requireFree(options.storage(number), "--storage-port");
        LocalNode node = new LocalNode(number, folder.resolve("node" + number), options, Optional.of(how));
        node.start(classPath);
        return node;
    }

    /**
     * Loads the SSTables of an existing table into all nodes.
     *
     * @throws IOException also if a node refuses them
     */
    public void fill(Path table) throws IOException, InterruptedException {
        var contact = new CqlCluster.Contact(
                List.of(options.cql(1)), Optional.empty(), Optional.empty(), options.storagePort());
        try (CqlCluster seen = CqlCluster.connect(contact);
                CassandraLinks links = CassandraLinks.create(Optional.empty(), 2, FILL_PATIENCE)) {
            var load = BulkLoad.prepare(table, seen, links, new LoadOptions(Optional.empty(), 0, 2, FILL_PATIENCE));
            for (LoadResult result : load.run()) {
                if (result.failure().isPresent()) {
                    throw new IOException("cannot load data into the nodes: "
                            + result.failure().get());
                }
            }
        }
    }

    /** Stops all nodes, the last one first; returns how many ran. */
    public int down() throws IOException, InterruptedException {
        int stopped = 0;
        for (LocalNode node : nodes().stream()
                .sorted(Comparator.comparing(LocalNode::number).reversed())
                .toList()) {
            stopped += node.stop() ? 1 : 0;
        }
        return stopped;
    }

    /** Removes the data of all nodes, which must be down, and the cluster with them. */
    public void wipe() throws IOException {
        for (LocalNode node : nodes()) {
            if (node.process().isPresent()) {
                throw new IOException("node " + node + " is running (run ./sluice cassandra down first)");
            }
        }
        for (LocalNode node : nodes()) {
            remove(folder.resolve("node" + node.number()));
        }
        Files.deleteIfExists(folder.resolve(SETTINGS));
    }

    private static void remove(Path tree) throws IOException {
        if (Files.exists(tree)) {
            MoreFiles.deleteRecursively(tree);
        }
    }

    private static String describe(LocalOptions options) {
        return options.nodes() + (options.nodes() == 1 ? " node" : " nodes") + " of Cassandra " + options.release()
                + options.compatibilityMode().map(mode -> " in mode " + mode).orElse("") + ", CQL on port "
                + options.cqlPort() + ", storage on port " + options.storagePort();
    }

    @Override
    public String toString() {
        return describe(options);
    }
}
