package io.sluice.interop.live;

import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.harness.cassandra.NodeTool;
import io.sluice.harness.cassandra.StockLoader;
import io.sluice.interop.live.MatrixShapes.Shape;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.tools.FreePort;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A live node that writes tables, and the operations by which it does. Not thread-safe. Long because each writer of the
 * matrix is an operation on the same node.
 */
final class MatrixNode implements AutoCloseable {
    private static final String SERVICE = "org.apache.cassandra.db:type=StorageService";
    private static final String TEXT = String.class.getName();
    private static final String TEXTS = String[].class.getName();
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final LiveCluster live;
    private final Path copies;
    private final NodeJmx jmx;
    private final MatrixRows rows;
    private int tables;
    private boolean hasJoined;

    private MatrixNode(LiveCluster live, Path copies) {
        this.live = live;
        this.copies = copies;
        this.rows = new MatrixRows(live);
        this.jmx = jmx(live.node(1));
    }

    /**
     * Starts it.
     *
     * @param mode storage compatibility mode; empty before 5.0
     * @param yaml more lines of cassandra.yaml
     * @param copies folder for copies of SSTables
     */
    static MatrixNode start(String release, String mode, String yaml, Path copies)
            throws IOException, InterruptedException {
        int port = FreePort.onLoopback();
        LiveCluster live = LiveCluster.start(
                release,
                options -> (mode.isEmpty() ? options : options.withCompatibility(mode))
                        .withJmx(port)
                        .withTokens(1) // a node with several cannot move
                        .withYaml(yaml));
        return new MatrixNode(live, copies);
    }

    /**
     * A table.
     *
     * @param name with its keyspace
     */
    record Table(String keyspace, String name, UUID id, Shape shape) {
        String cql(String statement) {
            return statement.replace("$T", keyspace + "." + name).replace("$K", keyspace);
        }
    }

    void createKeyspace(String name, int replicas) throws IOException {
        live.cql()
                .execute("CREATE KEYSPACE " + name
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': " + replicas + "}");
    }

    void dropKeyspace(String name) throws IOException {
        live.cql().execute("DROP KEYSPACE " + name);
    }

    /** From now on each of two nodes should have all of a keyspace. */
    void replicateTwice(String keyspace) throws IOException {
        live.cql()
                .execute("ALTER KEYSPACE " + keyspace
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
    }

    /** Creates an empty table that is compacted only on command. */
    Table create(String keyspace, Shape shape, String compression, String strategy) throws IOException {
        Table table = new Table(keyspace, "t" + ++tables, new UUID(0, 0), shape);
        for (String statement : shape.types()) {
            live.cql().execute(table.cql(statement));
        }
        live.cql()
                .execute(table.cql("CREATE TABLE $T (" + shape.columns() + ") WITH "
                        + (shape.options().isEmpty() ? "" : shape.options() + " AND ") + "compression = " + compression
                        + " AND compaction = " + strategy));
        for (String statement : shape.indexes()) {
            live.cql().execute(table.cql(statement));
        }
        invoke("disableAutoCompaction", new Object[] {keyspace, new String[] {table.name()}}, TEXT, TEXTS);
        Table made = new Table(keyspace, table.name(), rows.id(table), shape);
        if (hasJoined) {
            rows.two(made);
        }
        return made;
    }

    /** Writes all of it, in two flushes or more. */
    Table load(Table table) throws IOException {
        return load(table, List.of(rows.contact()));
    }

    /** The same, through two nodes in turn. */
    Table loadThroughTwo(Table table) throws IOException {
        return load(table, rows.two(table));
    }

    private Table load(Table table, List<Node> coordinators) throws IOException {
        rows.write(table, 0, coordinators);
        flush(table);
        for (String statement : table.shape().between()) {
            live.cql().execute(table.cql(statement));
        }
        rows.write(table, 1, coordinators);
        flush(table);
        return table;
    }

    void flush(Table table) throws IOException {
        invoke("forceKeyspaceFlush", new Object[] {table.keyspace(), new String[] {table.name()}}, TEXT, TEXTS);
    }

    /** Something that replaces all SSTables of a table. */
    @FunctionalInterface
    interface Rewrite {
        void run(Table table) throws IOException;
    }

    void compact(Table table) throws IOException {
        invoke(
                "forceKeyspaceCompaction",
                new Object[] {false, table.keyspace(), new String[] {table.name()}},
                "boolean",
                TEXT,
                TEXTS);
    }

    /** Until something came of it: the node learns only by and by that another owns a part. */
    void cleanUp(Table table) throws IOException {
        List<SSTable> before = files(table);
        await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> {
            invoke(
                    "forceKeyspaceCleanup",
                    new Object[] {1, table.keyspace(), new String[] {table.name()}},
                    "int",
                    TEXT,
                    TEXTS);
            return isGone(before);
        });
    }

    void upgrade(Table table) throws IOException {
        invoke(
                "upgradeSSTables",
                new Object[] {table.keyspace(), false, 1, new String[] {table.name()}},
                TEXT,
                "boolean",
                "int",
                TEXTS);
    }

    void collectGarbage(Table table) throws IOException {
        invoke(
                "garbageCollect",
                new Object[] {"ROW", 1, table.keyspace(), new String[] {table.name()}},
                TEXT,
                "int",
                TEXT,
                TEXTS);
    }

    void scrub(Table table) throws IOException {
        invoke(
                "scrub",
                new Object[] {true, false, true, false, 1, table.keyspace(), new String[] {table.name()}},
                "boolean",
                "boolean",
                "boolean",
                "boolean",
                "int",
                TEXT,
                TEXTS);
    }

    /** Runs an incremental repair of one range, and returns when it has marked SSTables of this node. */
    void repair(Table table, String range) throws IOException {
        Map<String, String> options = Map.of(
                "incremental", "true", "parallelism", "parallel", "columnFamilies", table.name(), "ranges", range);
        invoke("repairAsync", new Object[] {table.keyspace(), new HashMap<>(options)}, TEXT, Map.class.getName());
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> files(table).stream()
                        .map(sstable -> sstable.statistics().stats().placement())
                        .anyMatch(state -> state.repairedAtMillis() > 0
                                || state.pendingRepair().isPresent()));
    }

    /** Repairs a table, not incrementally, until another node has the same content. */
    void repairFully(Table table, LocalNode other) throws IOException {
        Map<String, String> options = Map.of("incremental", "false", "columnFamilies", table.name());
        invoke("repairAsync", new Object[] {table.keyspace(), new HashMap<>(options)}, TEXT, Map.class.getName());
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class) // of files that are gone meanwhile
                .until(() -> {
                    ContentDigest here = content(table, live.node(1));
                    return !here.equals(ContentDigest.EMPTY) && here.equals(content(table, other));
                });
    }

    private static ContentDigest content(Table table, LocalNode node) throws IOException {
        TableDirectory files = TableDirectory.of(folder(table, node)).orElseThrow();
        return ContentDigest.of(MatrixSession.open(files), TokenRanges.FULL);
    }

    /** Moves a node, the second of two, into the middle of what the first one has, which streams it. */
    void moveAhead(LocalNode second) throws IOException {
        long first = tokenIn("local");
        long moved = tokenIn("peers_v2");
        String middle = String.valueOf(moved + (first - moved >>> 1));
        try (NodeJmx other = jmx(second)) {
            other.invokeOnce(SERVICE, "move", new Object[] {middle}, TEXT);
        }
    }

    /** The only token in a table of the first node. */
    private long tokenIn(String table) throws IOException {
        String set = live.cql()
                .execute("SELECT tokens FROM system." + table)
                .rows()
                .get(0)
                .get(0);
        return Long.parseLong(set.replaceAll("[{}']", ""));
    }

    /** Lets a node, the second of two, leave: it streams what it has of all tables, also of this one. */
    void decommission(LocalNode second, Table table) throws IOException {
        int before = files(table).size();
        boolean isForced = true; // too few nodes are left for some keyspaces
        try (NodeJmx other = jmx(second)) {
            other.invokeOnce(SERVICE, "decommission", new Object[] {isForced}, "boolean");
        }
        hasJoined = false;
        if (files(table).size() == before) {
            throw new IOException("it streamed nothing of " + table.name());
        }
    }

    private NodeJmx jmx(LocalNode node) {
        int port = live.options().jmx(node.number()).orElseThrow();
        return new NodeJmx(new NodeJmx.Target("127.0.0.1", port, Optional.empty()));
    }

    /** Streams SSTables into a table as sstableloader does; it runs in the node. */
    void bulkLoad(Table table, Path files) throws IOException {
        invoke("bulkLoad", new Object[] {named(table, files).toString()}, TEXT);
    }

    /** The same by the loader of the release, whole or in part as {@code yaml} says. */
    void stockLoad(Table table, Path files, String yaml) throws IOException, InterruptedException {
        Path own = Files.createTempDirectory(copies, "loader");
        StockLoader loader =
                StockLoader.of(live.options(), LiveCluster.HOME, own).withYaml(yaml);
        StartedProcess.run(loader.command(named(table, files), live.options().storagePort()));
    }

    /** Copies files to where a loader learns the table from the path. */
    private Path named(Table table, Path files) throws IOException {
        Path folder = Files.createDirectories(Files.createTempDirectory(copies, "load")
                .resolve(table.keyspace())
                .resolve(table.name()));
        copy(files, folder);
        return folder.toAbsolutePath();
    }

    /** Lets it find files in its folder of the table; like a node that was upgraded from 3.x. */
    void adopt(Table table, Path files) throws IOException {
        copy(files, folder(table, live.node(1)));
        invoke("loadNewSSTables", new Object[] {table.keyspace(), table.name()}, TEXT, TEXT);
    }

    /**
     * Moves the SSTables of a folder into a table, as {@code nodetool import} does.
     *
     * @param hasIndexes whether SSTables without the files of their storage-attached indexes are refused
     */
    void load(Table table, Path folder, boolean hasIndexes) throws IOException {
        boolean mayCopy = false;
        Set<String> folders = Set.of(folder.toAbsolutePath().toString());
        jmx.invoke(
                "org.apache.cassandra.db:type=Tables,keyspace=" + table.keyspace() + ",table=" + table.name(),
                "importNewSSTables",
                new Object[] {
                    new HashSet<>(folders), false, false, true, true, true, true, mayCopy, hasIndexes, hasIndexes
                },
                Stream.concat(Stream.of(Set.class.getName()), Collections.nCopies(9, "boolean").stream())
                        .toArray(String[]::new));
    }

    /** What a query answers, in some order. */
    Set<List<String>> query(Table table, String statement) throws IOException {
        return Set.copyOf(live.cql().execute(table.cql(statement)).rows());
    }

    /** The files of the table that a node has. */
    List<Path> live(Table table) throws IOException {
        try (Stream<Path> files = Files.list(folder(table, live.node(1)))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    /** Runs it, and waits until the SSTables of before are gone. */
    void rewrite(Table table, Rewrite how) throws IOException {
        List<SSTable> before = files(table);
        how.run(table);
        await().atMost(PATIENCE).until(() -> isGone(before));
    }

    private static boolean isGone(List<SSTable> sstables) {
        return sstables.stream()
                .noneMatch(sstable ->
                        Arrays.stream(Component.values()).anyMatch(component -> Files.exists(sstable.path(component))));
    }

    private List<SSTable> files(Table table) throws IOException {
        return live.files(1, table.id());
    }

    /** Copies the SSTables that the table has now. */
    Path keep(Table table) throws IOException {
        return keep(table, live.node(1));
    }

    /** The same of another node. */
    Path keep(Table table, LocalNode node) throws IOException {
        Path files = folder(table, node);
        Path folder = Files.createDirectories(Files.createTempDirectory(Files.createDirectories(copies), "cell")
                .resolve(table.keyspace())
                .resolve(files.getFileName()));
        copy(files, folder);
        return folder;
    }

    private static Path folder(Table table, LocalNode node) {
        return node.data()
                .resolve(table.keyspace())
                .resolve(table.name() + "-" + table.id().toString().replace("-", ""));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    /** A second node, which has joined. */
    LocalNode join() throws IOException, InterruptedException {
        LocalNode joining = live.join(new LocalNode.Joining(Optional.empty(), List.of()));
        joining.awaitReady();
        hasJoined = true;
        return joining;
    }

    /** A range that one pair of replicas has: between two tokens that follow each other. */
    String someRange() throws IOException {
        List<Long> tokens = new ArrayList<>();
        for (String table : List.of("local", "peers_v2")) {
            for (List<String> row :
                    live.cql().execute("SELECT tokens FROM system." + table).rows()) {
                Stream.of(row.get(0).replaceAll("[{}']", "").split(",", -1))
                        .map(Long::valueOf)
                        .forEach(tokens::add);
            }
        }
        List<Long> sorted = tokens.stream().sorted().toList();
        int widest = 0;
        for (int i = 1; i < sorted.size() - 1; i++) {
            if (sorted.get(i + 1) - sorted.get(i) > sorted.get(widest + 1) - sorted.get(widest)) {
                widest = i;
            }
        }
        return sorted.get(widest) + ":" + sorted.get(widest + 1);
    }

    /** Fetches all of a keyspace from the first node. */
    void rebuild(LocalNode node, String keyspace) throws IOException {
        try (NodeTool tool = NodeTool.of(node)) {
            tool.unthrottleStreams();
            tool.rebuild(keyspace);
        }
    }

    /** Ends the node at once; what was flushed stays. */
    void kill() throws IOException, InterruptedException {
        live.node(1).kill();
    }

    /** Runs a tool on a table of the killed node. */
    void run(MatrixTools.Tool tool, Table table) throws IOException, InterruptedException {
        Path folder = folder(table, live.node(1));
        if (tool.old().isPresent()) {
            copy(MatrixTools.old(tool.old().get()), folder);
        }
        MatrixTools.run(tool, live.node(1), live.classPath(), table, folder);
    }

    private void invoke(String operation, Object[] arguments, String... signature) throws IOException {
        jmx.invoke(SERVICE, operation, arguments, signature);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        jmx.close();
        live.close();
    }
}
