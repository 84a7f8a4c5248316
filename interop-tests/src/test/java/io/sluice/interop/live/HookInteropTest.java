package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.hook.HookMXBean;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hook in a node that takes the place of a dead one: each published release waits, says what it plans, goes on. */
class HookInteropTest {
    private static final int NODES = 3;
    private static final int DEAD = 3;
    private static final int ROWS = 600;
    private static final Duration START = Duration.ofMinutes(3);
    private static final String KEYSPACE = "hooked";

    @TempDir
    private Path folder = Path.of("");

    private LiveCluster start(String release) throws Exception {
        int jmx = FreePort.onLoopback();
        LiveCluster nodes = LiveCluster.start(
                release, options -> options.withNodes(NODES).withTokens(4).withJmx(jmx));
        nodes.cql()
                .execute("CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
        nodes.cql().execute("CREATE TABLE " + KEYSPACE + ".t (k int PRIMARY KEY, v text)");
        await().atMost(START).until(nodes.cql().session()::checkSchemaAgreement);
        for (int k = 0; k < ROWS; k++) {
            nodes.cql()
                    .session()
                    .execute(SimpleStatement.newInstance(
                                    "INSERT INTO " + KEYSPACE + ".t (k, v) VALUES (?, ?)", k, "value " + k)
                            .setConsistencyLevel(ConsistencyLevel.ALL));
        }
        nodes.node(DEAD).kill();
        return nodes;
    }

    private LocalNode join(LiveCluster nodes, String agentOptions) throws IOException {
        return nodes.join(new LocalNode.Joining(
                Optional.of(DEAD), List.of("-javaagent:" + HookJar.in(folder) + "=" + agentOptions)));
    }

    private static NodeJmx jmx(LiveCluster nodes, LocalNode node) {
        return new NodeJmx(new NodeJmx.Target(
                "127.0.0.1", nodes.options().jmx(node.number()).orElseThrow(), Optional.empty()));
    }

    /** The hook of a node that has begun to wait. */
    private static HookMXBean holding(NodeJmx jmx) {
        await().atMost(START).pollInterval(Duration.ofMillis(500)).until(() -> {
            try {
                return jmx.hook().map(hook -> hook.getState().equals("HOLDING")).orElse(false);
            } catch (IOException notYet) {
                return false;
            }
        });
        try {
            return jmx.hook().orElseThrow();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for both replicas: a node serves clients before it has seen that all others live. */
    private static int rows(LiveCluster nodes, LocalNode node) throws IOException {
        try (Cql cql = Cql.connect(nodes.options().cql(node.number()))) {
            SimpleStatement all = SimpleStatement.newInstance("SELECT k FROM " + KEYSPACE + ".t")
                    .setConsistencyLevel(ConsistencyLevel.TWO);
            return await().atMost(START)
                    .ignoreException(UnavailableException.class)
                    .until(() -> cql.session().execute(all).all().size(), found -> true);
        }
    }

    private static List<String> log(LocalNode node, String part) throws IOException {
        return Files.readAllLines(node.log()).stream()
                .filter(line -> line.contains(part))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.0", "4.1", "4.0.17"})
    void a_node_waits_with_its_plan_and_streams_all_that_is_not_marked(String release) throws Exception {
        try (LiveCluster nodes = start(release)) {
            LocalNode joining = join(nodes, "agent_timeout=60s");
            try (NodeJmx jmx = jmx(nodes, joining)) {
                HookMXBean hook = holding(jmx);

                Map<String, Map<String, List<String>>> plan = hook.getPlan();
                assertThat(hook.getOperation()).isEqualTo("Bootstrap");
                assertThat(plan).containsKey(KEYSPACE);
                assertThat(plan.get(KEYSPACE)).isNotEmpty().allSatisfy((source, ranges) -> {
                    assertThat(source).matches("127\\.0\\.0\\.[12]:\\d+");
                    assertThat(ranges).isNotEmpty().allMatch(range -> range.matches("\\(-?\\d+,-?\\d+]"));
                });
                assertThatThrownBy(() -> hook.markAvailable(hook.getHoldId(), KEYSPACE, List.of("(1,2]")))
                        .hasMessageContaining("is not in the plan");
                assertThatThrownBy(() -> hook.release("another")).hasMessageContaining("is not the hold of this node");
                hook.release(hook.getHoldId());

                joining.awaitReady();
                assertThat(hook.getState()).isEqualTo("LET_GO");
                assertThat(rows(nodes, joining)).isEqualTo(ROWS);
                assertThat(Files.readString(joining.console())).contains("continuing after", "released by the agent");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.0", "4.1", "4.0.17"})
    void a_node_does_not_stream_what_is_marked(String release) throws Exception {
        try (LiveCluster nodes = start(release)) {
            LocalNode joining = join(nodes, "agent_timeout=60s");
            try (NodeJmx jmx = jmx(nodes, joining)) {
                HookMXBean hook = holding(jmx);
                for (var keyspace : hook.getPlan().entrySet()) {
                    TreeSet<String> ranges = new TreeSet<>();
                    keyspace.getValue().values().forEach(ranges::addAll);
                    hook.markAvailable(hook.getHoldId(), keyspace.getKey(), List.copyOf(ranges));
                }
                hook.release(hook.getHoldId());

                joining.awaitReady();
                assertThat(log(joining, "Prepare completed"))
                        .isNotEmpty()
                        .allMatch(line -> line.contains("Receiving 0 files"));
                hook.clearMarks();
                try (Cql cql = Cql.connect(nodes.options().cql(joining.number()))) {
                    assertThat(cql.execute("SELECT keyspace_name FROM system.available_ranges_v2")
                                    .rows())
                            .isEmpty();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.0"})
    void a_node_whose_agent_is_silent_streams_by_itself(String release) throws Exception {
        try (LiveCluster nodes = start(release)) {
            LocalNode joining = join(nodes, "agent_timeout=5s");

            joining.awaitReady();

            assertThat(rows(nodes, joining)).isEqualTo(ROWS);
            assertThat(Files.readString(joining.console())).contains("no agent called for 5 s");
        }
    }
}
