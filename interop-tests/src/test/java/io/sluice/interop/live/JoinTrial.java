package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.streaming.plan.Operation;
import io.sluice.tools.FreePort;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A live cluster with a table, agents beside its nodes, and one more node that is brought its data. Not thread-safe.
 * Nothing is left of it when it is closed.
 */
final class JoinTrial implements AutoCloseable {
    static final String KEYSPACE = "shop";
    static final Duration START = Duration.ofMinutes(4);
    /** It misses writes, and is a source all the same. */
    static final int BEHIND = 2;

    private static final int ROWS = 2_000;
    /** How many writes one replica has missed. */
    static final int MISSED = 600;

    private static final String SERVICE = "org.apache.cassandra.db:type=StorageService";

    /** As a node starts that has tokens and data already. */
    static final LocalNode.Joining MEMBER = new LocalNode.Joining(Optional.empty(), List.of());

    /** Cassandra writes nothing where less than 50 MiB are free, and an agent leaves 256 MiB to it. */
    private static final String SMALL_VOLUME = "640m";

    private final LiveCluster nodes;
    private final AgentProcesses agents;
    private final Path folder;
    private final JoinShape shape;
    private final Operation operation;
    private Optional<Path> mounted = Optional.empty();

    private JoinTrial(LiveCluster nodes, Path folder, JoinShape shape, Operation operation)
            throws IOException, InterruptedException {
        this.nodes = nodes;
        this.agents = new AgentProcesses(
                nodes.options(),
                folder,
                shape.is(JoinShape.Trait.TLS) ? AgentProcesses.certified(folder, shape.nodes() + 1) : Map.of());
        this.folder = folder;
        this.shape = shape;
        this.operation = operation;
    }

    /**
     * Starts all nodes but the one that is brought its data.
     *
     * @param folder for logs of the agents
     */
    static JoinTrial start(JoinShape shape, Operation operation, Path folder) throws Exception {
        int jmx = FreePort.onLoopback();
        LiveCluster nodes =
                LiveCluster.startPrepared(shape.release(), options -> shape.of(options, jmx), shape::datacenters);
        try {
            nodes.cql()
                    .execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': " + shape.replication()
                            + "}");
            nodes.cql() // by default it has one replica: what the dead node alone has would be missing, and said
                    .execute("ALTER KEYSPACE system_auth WITH replication = {'class': " + shape.replication() + "}");
            JoinTrial trial = new JoinTrial(nodes, folder, shape, operation);
            trial.create("t (k text PRIMARY KEY, v text)");
            return trial;
        } catch (IOException | RuntimeException | Error failed) {
            nodes.close();
            throw failed;
        }
    }

    /** Creates a table, given as in {@code t (k text PRIMARY KEY)}. */
    void create(String table) throws IOException {
        nodes.cql()
                .execute("CREATE TABLE " + KEYSPACE + "." + table + " WITH compaction = {'class': '"
                        + shape.compaction() + "'}");
        await().atMost(START).until(nodes.cql().session()::checkSchemaAgreement);
    }

    LiveCluster nodes() {
        return nodes;
    }

    AgentProcesses agents() {
        return agents;
    }

    /** Whether one of the nodes dies before. */
    boolean isReplacement() {
        return operation == Operation.REPLACE;
    }

    /** The number of the node that dies, if one does; the last one of the cluster. */
    int dead() {
        return shape.nodes();
    }

    /** The number of the node that is brought its data. */
    private int number() {
        return shape.nodes() + 1;
    }

    /** What is there before: rows that all have, and, if one may be down, some that one replica has missed. */
    Set<String> fill() throws Exception {
        Set<String> keys = new TreeSet<>();
        for (int i = 0; i < ROWS; i++) {
            QuorumWriter.write(nodes.cql(), KEYSPACE, "all-" + i, ConsistencyLevel.ALL);
            keys.add("all-" + i);
        }
        if (shape.replicas() > 2) {
            nodes.node(BEHIND).kill();
            awaitWrites(ConsistencyLevel.QUORUM);
            for (int i = 0; i < MISSED; i++) {
                QuorumWriter.write(nodes.cql(), KEYSPACE, "missed-" + i, ConsistencyLevel.QUORUM);
                keys.add("missed-" + i);
            }
            nodes.restart();
            awaitWrites(ConsistencyLevel.ALL);
        }
        return keys;
    }

    /** The same, and then one that has all of it dies. */
    Set<String> fillAndKill() throws Exception {
        Set<String> keys = fill();
        nodes.node(dead()).kill();
        awaitSeen(1, shape.nodes() - 1, 1);
        return keys;
    }

    /** Waits until writes are acknowledged everywhere, by so many. */
    private void awaitWrites(ConsistencyLevel level) {
        await().atMost(START).until(() -> {
            try {
                for (int i = 0; i < 50; i++) {
                    QuorumWriter.write(nodes.cql(), KEYSPACE, "all-" + i, level);
                }
                return true;
            } catch (DriverException notYet) {
                return false;
            }
        });
    }

    /** Waits until nodes know that so many others are dead. */
    void awaitSeen(int first, int last, int dead) throws IOException {
        for (int node = first; node <= last; node++) {
            try (NodeJmx jmx = jmx(node)) {
                await().atMost(START)
                        .ignoreException(IOException.class)
                        .until(() -> ((Collection<?>) jmx.attribute(SERVICE, "UnreachableNodes")).size() == dead);
            }
        }
    }

    NodeJmx jmx(int node) {
        int port = nodes.options().jmx(node).orElseThrow();
        return new NodeJmx(new NodeJmx.Target("127.0.0.1", port, Optional.empty()));
    }

    /** Starts the agents of all nodes that live. */
    void startAgents() throws IOException {
        for (int node = 1; node <= (isReplacement() ? dead() - 1 : dead()); node++) {
            agents.start(nodes.node(node));
        }
    }

    /** Starts the node that is to be brought its data, and its agent. */
    LocalNode startNode(String agentTimeout) throws IOException, InterruptedException {
        LocalNode node = nodes.join(joining(agentTimeout));
        if (operation == Operation.REBUILD) {
            node.awaitReady();
        }
        if (shape.is(JoinShape.Trait.SPLIT)) {
            await().atMost(START).until(this::isInSecondDatacenter);
            await().atMost(START).until(nodes.cql().session()::checkSchemaAgreement);
        }
        agents.start(node);
        return node;
    }

    /** Cassandra refuses to name a datacenter of which the node that is asked knows no member yet. */
    private boolean isInSecondDatacenter() {
        try {
            nodes.cql()
                    .execute("ALTER KEYSPACE " + KEYSPACE + " WITH replication = {'class': " + shape.replication()
                            + ", 'dc2': 1}");
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Starts a replacement that has no hook. */
    LocalNode joinByItself() throws IOException {
        return nodes.join(new LocalNode.Joining(Optional.of(dead()), List.of()));
    }

    /** How it joins. */
    LocalNode.Joining joining(String agentTimeout) throws IOException {
        if (operation == Operation.REBUILD) {
            return new LocalNode.Joining(Optional.empty(), List.of("-Dcassandra.auto_bootstrap=false"));
        }
        return new LocalNode.Joining(
                isReplacement() ? Optional.of(dead()) : Optional.empty(),
                List.of("-javaagent:" + HookJar.in(folder) + "=agent_timeout=" + agentTimeout));
    }

    /** Starts the command that brings it. */
    CoordinatorProcess bring(String... more) throws IOException {
        return switch (operation) {
            case REPLACE -> agents.replace(dead(), number(), more);
            case REBUILD ->
                agents.rebuild(number(), shape.is(JoinShape.Trait.SPLIT) ? fromFirstDatacenter(more) : more);
            default -> agents.bootstrap(number(), more);
        };
    }

    private static String[] fromFirstDatacenter(String... more) {
        return Stream.concat(Stream.of("--from-dc", "dc1"), Stream.of(more)).toArray(String[]::new);
    }

    /** From now on the data of the node that will join is on a small volume of its own; else the test is skipped. */
    void mountSmallVolume() throws IOException, InterruptedException {
        Path data = nodes.node(1).home().resolveSibling("node" + number()).resolve("data");
        Files.createDirectories(data);
        try {
            StartedProcess.run(List.of("mount", "-t", "tmpfs", "-o", "size=" + SMALL_VOLUME, "tmpfs", data.toString()));
            mounted = Optional.of(data);
        } catch (IOException e) {
            String line = "SKIPPED, nothing can be mounted here: " + e.getMessage();
            System.out.println(line);
            Assumptions.abort(line);
        }
    }

    /** That a node which has joined has streamed nothing by itself. */
    static void requireNoStreams(LocalNode joined) throws IOException, InterruptedException {
        joined.awaitReady();
        assertThat(Files.readAllLines(joined.log()).stream().filter(line -> line.contains("Prepare completed")))
                .as("streams of its own")
                .allMatch(line -> line.contains("Receiving 0 files"));
    }

    long streamedBytes(LocalNode node) throws IOException {
        long bytes = 0;
        try (NodeJmx jmx = jmx(node.number())) {
            for (ObjectName peer : jmx.names("org.apache.cassandra.metrics:type=Streaming,name=IncomingBytes,*")) {
                bytes += ((Number) jmx.attribute(peer.toString(), "Count")).longValue();
            }
        }
        return bytes;
    }

    /** Those of which the ring says that a node is a replica. */
    Set<String> owned(LocalNode node, Set<String> keys) throws IOException {
        try (Cql cql = Cql.connect(nodes.options().cql(node.number()))) {
            cql.session().setSchemaMetadataEnabled(true).toCompletableFuture().join();
            TokenMap ring = cql.session().getMetadata().getTokenMap().orElseThrow();
            return keys.stream()
                    .filter(key -> ring
                            .getReplicas(
                                    CqlIdentifier.fromCql(KEYSPACE),
                                    TypeCodecs.TEXT.encode(key, ProtocolVersion.DEFAULT))
                            .stream()
                            .anyMatch(replica -> replica.getBroadcastAddress()
                                    .orElseThrow()
                                    .getAddress()
                                    .equals(nodes.options().cql(node.number()).getAddress())))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** That nodes were as wanted, and not as they are without being asked. */
    void requireTraits(LocalNode joined) throws IOException {
        if (shape.is(JoinShape.Trait.TLS)) {
            assertThat(agents.logs()).contains("TLS").doesNotContain("plain text");
        }
        if (shape.is(JoinShape.Trait.VOLUMES)) {
            assertThat(List.of(joined.data(), joined.home().resolve(JoinShape.SECOND_VOLUME)))
                    .allSatisfy(volume -> assertThat(sstables(volume)).isNotEmpty());
        }
    }

    private static List<Path> sstables(Path volume) throws IOException {
        List<Path> sstables = new ArrayList<>();
        for (Path table : list(volume.resolve(KEYSPACE))) {
            list(table).stream()
                    .filter(file -> file.getFileName().toString().endsWith("-Data.db"))
                    .forEach(sstables::add);
        }
        return sstables;
    }

    /** Snapshots of Sluice that a node keeps. */
    List<Path> snapshots(int node) throws IOException {
        List<Path> snapshots = new ArrayList<>();
        for (Path table : list(nodes.node(node).data().resolve(KEYSPACE))) {
            list(table.resolve("snapshots")).stream()
                    .filter(one -> one.getFileName().toString().startsWith("sluice-"))
                    .forEach(snapshots::add);
        }
        return snapshots;
    }

    private static List<Path> list(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        }
    }

    /** Kills all others, and waits until a node knows: one that does not may ask them. */
    void leaveAlone(LocalNode alone) throws IOException, InterruptedException {
        for (int node = 1; node <= shape.nodes(); node++) {
            nodes.node(node).kill();
        }
        try (NodeJmx jmx = jmx(alone.number())) {
            await().atMost(START).until(() -> ((Collection<?>) jmx.attribute(SERVICE, "LiveNodes")).size() == 1);
        }
    }

    /** Keys that a node does not have. */
    static Set<String> missing(Cql cql, String table, Set<String> keys) {
        return keys.stream().filter(key -> one(cql, table, key) == null).collect(Collectors.toCollection(TreeSet::new));
    }

    /** What a node has of a key. */
    static @Nullable Row one(Cql cql, String table, String key) {
        return cql.session()
                .execute(SimpleStatement.newInstance("SELECT * FROM " + KEYSPACE + "." + table + " WHERE k = ?", key)
                        .setConsistencyLevel(ConsistencyLevel.ONE))
                .one();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        agents.close();
        if (mounted.isPresent()) {
            StartedProcess.run(List.of("umount", "-l", mounted.get().toString())); // the node still runs
        }
        nodes.close();
    }
}
