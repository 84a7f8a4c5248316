package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.streaming.plan.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A dead node of three real ones is replaced by Sluice, or a fourth one joins or is rebuilt, while clients write, and
 * one replica has missed writes.
 */
class ReplaceInteropTest {
    @TempDir
    private Path folder = Path.of("");

    private JoinTrial start(String release, Operation operation) throws Exception {
        return JoinTrial.start(JoinShape.of(release), operation, folder);
    }

    private static Set<String> keys(JoinTrial trial, LocalNode node, ConsistencyLevel level) throws IOException {
        Set<String> keys = new TreeSet<>();
        try (Cql cql = Cql.connect(trial.nodes().options().cql(node.number()))) {
            cql.session()
                    .execute(SimpleStatement.newInstance("SELECT k FROM " + JoinTrial.KEYSPACE + ".t")
                            .setConsistencyLevel(level))
                    .forEach(row -> keys.add(row.getString("k")));
        }
        return keys;
    }

    /** What is acknowledged while the node is brought its data, which has to end well. */
    private static Set<String> brought(JoinTrial trial, String saying) throws Exception {
        try (QuorumWriter writer = new QuorumWriter(trial.nodes().cql(), JoinTrial.KEYSPACE)) {
            CoordinatorProcess coordinator = trial.bring();
            assertThat(coordinator.awaitEnd())
                    .as(coordinator.said() + trial.agents().logs())
                    .isZero();
            assertThat(coordinator.said())
                    .as("screen and report")
                    .contains("VERIFIED: ", saying)
                    .containsPattern("source +tables");
            assertThat(trial.agents().logs())
                    .as("each node has told its agent of its reads")
                    .doesNotContain("does not say how its reads are");
            return writer.acknowledged();
        }
    }

    /** Of what was acknowledged, a node has all that it owns, when all others are dead. */
    private static void requireOwnedAlone(JoinTrial trial, LocalNode alone, Set<String> acknowledged) throws Exception {
        assertThat(acknowledged).as("writes meanwhile").anyMatch(key -> key.startsWith("live-"));
        Set<String> owned = trial.owned(alone, acknowledged);
        assertThat(owned)
                .as("owned: all of a replacement; else most, or all, by the tokens that the node has chosen")
                .isNotEmpty();
        trial.leaveAlone(alone);
        try (Cql cql = Cql.connect(trial.nodes().options().cql(alone.number()))) {
            assertThat(JoinTrial.missing(cql, "t", owned)).as("lost").isEmpty();
        }
        System.out.println("READ BACK " + trial.nodes().options().release() + ": " + owned.size() + " of "
                + acknowledged.size() + " acknowledged writes, all that it owns");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.0", "4.1"})
    void every_acknowledged_write_is_at_the_replacement_alone(String release) throws Exception {
        try (JoinTrial trial = start(release, Operation.REPLACE)) {
            Set<String> expected = trial.fillAndKill();
            trial.startAgents();
            LocalNode replacement = trial.startNode("60s");
            expected.addAll(brought(trial, "Cassandra itself streamed nothing"));
            JoinTrial.requireNoStreams(replacement);

            requireOwnedAlone(trial, replacement, expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.0", "4.1"})
    void every_acknowledged_write_that_a_node_which_bootstraps_owns_is_there_alone(String release) throws Exception {
        try (JoinTrial trial = start(release, Operation.BOOTSTRAP)) {
            Set<String> expected = trial.fill();
            trial.startAgents();
            LocalNode joined = trial.startNode("60s");
            expected.addAll(brought(trial, "Cassandra itself streamed nothing"));
            JoinTrial.requireNoStreams(joined);

            requireOwnedAlone(trial, joined, expected);
        }
    }

    private JoinTrial start(String release, int replicas) throws Exception {
        JoinShape shape =
                new JoinShape(release, 3, 4, replicas, "SizeTieredCompactionStrategy", Optional.empty(), Set.of());
        return JoinTrial.start(shape, Operation.REPLACE, folder);
    }

    /** Of three nodes the last ones die; the others have agents. */
    private static void fillAndKill(JoinTrial trial, int dies) throws Exception {
        trial.fill();
        for (int node = 4 - dies; node <= 3; node++) {
            trial.nodes().node(node).kill();
        }
        trial.awaitSeen(1, 3 - dies, dies);
        for (int node = 1; node <= 3 - dies; node++) {
            trial.agents().start(trial.nodes().node(node));
        }
    }

    /** An agent that has just been started does not answer yet. */
    private static boolean refusesForWantOfReplicas(JoinTrial trial) throws Exception {
        CoordinatorProcess look = trial.bring("--dry-run");
        return look.awaitEnd() == 3
                && look.said()
                        .contains("refused: keyspace " + JoinTrial.KEYSPACE + ": none of the 2 replicas of range ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.0", "4.1"})
    void what_the_dead_node_alone_had_is_missing_and_the_node_joins(String release) throws Exception {
        try (JoinTrial trial = start(release, 1)) {
            fillAndKill(trial, 1);
            LocalNode replacement = trial.startNode("60s");
            CoordinatorProcess coordinator = trial.bring();

            assertThat(coordinator.awaitEnd()).isEqualTo(4);
            assertThat(coordinator.said())
                    .contains("missing: keyspace " + JoinTrial.KEYSPACE)
                    .doesNotContain("VERIFIED");
            replacement.awaitReady();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.0", "4.1"})
    void where_all_of_several_replicas_are_dead_cassandra_ends_the_start_and_a_look_says_so(String release)
            throws Exception {
        try (JoinTrial trial = start(release, 2)) {
            fillAndKill(trial, 2);
            await().atMost(JoinTrial.START).until(() -> refusesForWantOfReplicas(trial));
            LocalNode replacement = trial.startNode("60s");
            await().atMost(JoinTrial.START).until(() -> replacement.process().isEmpty());
            assertThat(Files.readString(replacement.console()))
                    .contains("Unable to find sufficient sources for streaming range");
        }
    }

    /** A node that was started with {@code auto_bootstrap: false}: a member, and empty. */
    @ParameterizedTest
    @ValueSource(strings = {"5.0", "4.1"})
    void every_acknowledged_write_that_a_member_which_is_rebuilt_owns_is_there_alone(String release) throws Exception {
        try (JoinTrial trial = start(release, Operation.REBUILD)) {
            Set<String> expected = trial.fill();
            trial.startAgents();
            LocalNode member = trial.startNode("60s");
            expected.addAll(brought(trial, "is rebuilt: "));
            assertThat(trial.streamedBytes(member)).as("by Cassandra itself").isZero();

            requireOwnedAlone(trial, member, expected);
        }
    }

    /** Why all replicas are asked: Cassandra takes each range from one, be it the one that has missed writes. */
    @ParameterizedTest
    @ValueSource(strings = {"5.0"})
    void cassandra_alone_loses_what_its_source_has_missed(String release) throws Exception {
        try (JoinTrial trial = start(release, Operation.REPLACE)) {
            Set<String> expected = trial.fillAndKill();
            LocalNode replacement = trial.joinByItself();
            replacement.awaitReady();
            assertThat(trial.streamedBytes(replacement))
                    .as("what an agent says that Cassandra itself has streamed")
                    .isPositive();

            trial.leaveAlone(replacement);
            expected.removeAll(keys(trial, replacement, ConsistencyLevel.ONE));

            // Killed, the node that is behind has lost some of the first rows, too: what its commit log had not synced.
            Set<String> lost = expected.stream()
                    .filter(key -> key.startsWith("missed-"))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(lost).isNotEmpty();
            System.out.println("LOST BY CASSANDRA " + release + ": " + lost.size() + " of " + JoinTrial.MISSED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.0"})
    void without_its_agent_the_node_streams_by_itself(String release) throws Exception {
        try (JoinTrial trial = start(release, Operation.REPLACE)) {
            Set<String> expected = trial.fillAndKill();
            trial.startAgents();
            LocalNode replacement = trial.startNode("5s");
            CoordinatorProcess coordinator = trial.bring();
            coordinator.awaitSaying("pinned");

            trial.agents().kill(replacement.number());

            assertThat(coordinator.awaitEnd()).isEqualTo(1);
            replacement.awaitReady();
            assertThat(Files.readString(replacement.console())).contains("no agent called for 5 s");
            Set<String> keys = new TreeSet<>();
            await().atMost(JoinTrial.START).until(() -> {
                try {
                    return keys.addAll(keys(trial, replacement, ConsistencyLevel.ALL));
                } catch (DriverException notAllKnowIt) {
                    return false;
                }
            });
            assertThat(keys).containsAll(expected);
        }
    }
}
