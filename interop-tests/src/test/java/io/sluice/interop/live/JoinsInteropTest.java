package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.report.ExitCode;
import io.sluice.interop.live.JoinShape.Trait;
import io.sluice.streaming.plan.Operation;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nodes that are brought their data while clients write rows of all kinds, and something goes wrong: each cell ends
 * with all that was acknowledged at the node alone, or with a reason and a node that goes on when the command is run
 * again. The larger part runs with {@code -Dexcluded.test.groups=benchmark}; with {@code -Djoin.cells='DISK|CORRUPT'}
 * only cells in whose names that is found.
 */
class JoinsInteropTest {
    private static final String STCS = "SizeTieredCompactionStrategy";
    private static final String LCS = "LeveledCompactionStrategy";

    /** Cassandra has fetched some of it by itself. */
    private static final int PARTLY = ExitCode.PARTLY.number();

    @TempDir
    private Path folder = Path.of("");

    /**
     * What is tried.
     *
     * @param level of the writes meanwhile
     */
    record Cell(Operation operation, JoinShape shape, ConsistencyLevel level, JoinFault fault) {
        @Override
        public String toString() {
            return operation + " " + shape.release()
                    + shape.format().map(" "::concat).orElse("") + ", "
                    + shape.nodes() + " nodes, "
                    + shape.traits().stream()
                            .map(trait -> trait + ", ")
                            .sorted()
                            .collect(Collectors.joining())
                    + shape.tokens() + " vnodes, " + shape.replicas() + " replicas, "
                    + shape.compaction().replace("CompactionStrategy", "") + ", " + level + ", " + fault;
        }
    }

    private static Cell replace(
            String release, int tokens, int replicas, String compaction, ConsistencyLevel level, JoinFault fault) {
        return new Cell(
                Operation.REPLACE,
                new JoinShape(release, 3, tokens, replicas, compaction, Optional.empty(), Set.of()),
                level,
                fault);
    }

    private static Cell with(String release, Trait trait, JoinFault fault) {
        return new Cell(
                Operation.REPLACE,
                new JoinShape(release, 3, 16, 3, STCS, Optional.empty(), Set.of(trait)),
                ConsistencyLevel.QUORUM,
                fault);
    }

    private static Cell rebuild(String release, JoinFault fault) {
        return new Cell(Operation.REBUILD, JoinShape.of(release), ConsistencyLevel.QUORUM, fault);
    }

    private static Stream<Cell> wanted(Cell... cells) {
        Pattern names = Pattern.compile(System.getProperty("join.cells", ""));
        return Stream.of(cells).filter(cell -> names.matcher(cell.toString()).find());
    }

    /** Each process that may die. */
    static Stream<Cell> killed() {
        return wanted(
                replace("5.0", 16, 3, STCS, ConsistencyLevel.QUORUM, JoinFault.COORDINATOR_KILLED),
                replace("4.1", 1, 2, LCS, ConsistencyLevel.ONE, JoinFault.AGENT_OF_THE_NODE_KILLED),
                replace("4.1", 16, 3, LCS, ConsistencyLevel.QUORUM, JoinFault.AGENT_OF_A_SOURCE_KILLED),
                rebuild("5.0", JoinFault.COORDINATOR_KILLED),
                rebuild("4.1", JoinFault.AGENT_OF_THE_NODE_KILLED),
                rebuild("5.0", JoinFault.AGENT_OF_A_SOURCE_KILLED),
                new Cell(
                        Operation.REBUILD,
                        new JoinShape("5.0", 3, 4, 2, STCS, Optional.empty(), Set.of(Trait.SPLIT)),
                        ConsistencyLevel.EACH_QUORUM,
                        JoinFault.NONE));
    }

    /** Pairs of what may differ, and what else may go wrong. */
    static Stream<Cell> more() {
        return wanted(
                replace("5.0", 1, 3, LCS, ConsistencyLevel.QUORUM, JoinFault.SOURCE_KILLED),
                replace("4.1", 1, 3, STCS, ConsistencyLevel.QUORUM, JoinFault.NODE_KILLED),
                replace("5.0", 16, 2, LCS, ConsistencyLevel.ONE, JoinFault.SCHEMA_CHANGED),
                replace("5.0", 1, 2, STCS, ConsistencyLevel.ONE, JoinFault.DISK_FULL),
                replace("4.1", 16, 3, LCS, ConsistencyLevel.QUORUM, JoinFault.SOURCE_CORRUPT),
                replace("5.0", 16, 2, LCS, ConsistencyLevel.ONE, JoinFault.TABLE_DROPPED),
                replace("4.1", 16, 2, STCS, ConsistencyLevel.ONE, JoinFault.ABORTED),
                new Cell(
                        Operation.REPLACE,
                        new JoinShape("5.0", 3, 16, 3, STCS, Optional.of("NONE"), Set.of()),
                        ConsistencyLevel.QUORUM,
                        JoinFault.NONE),
                new Cell(
                        Operation.REPLACE,
                        new JoinShape("5.0", 6, 16, 3, STCS, Optional.empty(), Set.of()),
                        ConsistencyLevel.QUORUM,
                        JoinFault.NONE),
                replace("4.0.17", 16, 3, STCS, ConsistencyLevel.QUORUM, JoinFault.KILLED_AT_EACH_STEP),
                replace("5.0", 16, 3, LCS, ConsistencyLevel.QUORUM, JoinFault.KILLED_AT_EACH_STEP),
                with("5.0", Trait.TLS, JoinFault.AGENT_OF_A_SOURCE_KILLED),
                with("4.1", Trait.VOLUMES, JoinFault.COORDINATOR_KILLED));
    }

    @ParameterizedTest(allowZeroInvocations = true) // with join.cells
    @MethodSource("killed")
    void a_process_that_is_killed_costs_no_acknowledged_write(Cell cell) throws Exception {
        run(cell);
    }

    @Tag("full")
    @ParameterizedTest(allowZeroInvocations = true) // with join.cells
    @MethodSource("more")
    void whatever_goes_wrong_costs_no_acknowledged_write(Cell cell) throws Exception {
        run(cell);
    }

    private void run(Cell cell) throws Exception {
        System.out.println("CELL " + cell);
        try (JoinTrial trial = JoinTrial.start(cell.shape(), cell.operation(), folder)) {
            MixedWriter.create(trial);
            Set<String> before = trial.isReplacement() ? trial.fillAndKill() : trial.fill();
            cell.fault().prepare(trial);
            trial.startAgents();
            LocalNode node = trial.startNode(JoinFault.TIMEOUT);
            MixedWriter writer = MixedWriter.start(trial, cell.level(), before);
            LocalNode joined;
            try (writer) {
                joined = brought(trial, cell.fault(), node);
            }
            joined.awaitReady();
            MixedWriter.Owned owned = writer.owned(joined);
            assertThat(owned.rows()).as("writes meanwhile").anyMatch(key -> key.startsWith("live-"));
            trial.leaveAlone(joined);
            trial.requireTraits(joined);
            System.out.println("READ BACK " + cell + ": " + writer.requireAll(joined, owned));
        }
    }

    /** Brings the node its data, whatever goes wrong meanwhile. */
    private static LocalNode brought(JoinTrial trial, JoinFault fault, LocalNode node) throws Exception {
        CoordinatorProcess first = trial.bring();
        if (fault.at().isPresent()) {
            first.awaitSaying(fault.at().get());
            assertThat(first.said()).contains(fault.at().get());
            fault.strike(trial, node, first);
        }
        int code = first.awaitEnd();
        if (fault.reason().isEmpty() && !first.wasKilled()) {
            assertThat(code).as(first.said() + trial.agents().logs()).isZero();
        }
        if (fault.reason().isPresent()) {
            assertThat(code).as(first.said()).isNotZero();
            assertThat(first.said()).containsPattern(fault.reason().get());
        }
        if (code == 0 || code == PARTLY || fault == JoinFault.ABORTED) {
            return node;
        }
        LocalNode now = fault.mend(trial, node);
        CoordinatorProcess again = trial.bring();
        assertThat(again.awaitEnd()).as(again.said() + trial.agents().logs()).isZero();
        return now;
    }
}
