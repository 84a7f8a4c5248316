package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.cluster.LinkOptions;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.load.Consistency;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.RunReport.EndState;
import io.sluice.harness.report.RunReport.Result;
import io.sluice.harness.report.RunReport.Source;
import io.sluice.harness.scenario.ScenarioOptions.Dataset;
import io.sluice.harness.scenario.ScenarioOptions.FaultPhase;
import io.sluice.harness.scenario.ScenarioOptions.Load;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every change of the ring on real processes; who fetched, from whom, and that all replicas hold the same. */
@Timeout(180)
@Tag("full")
class OperationsScenarioTest {
    private static final SluiceConfig CONFIG = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"));
    private static final Dataset SMALL = new Dataset.Generated(4 << 20);
    private static final Optional<Load> NO_LOAD = Optional.empty();
    private static final Optional<Load> LOAD = Optional.of(new Load(300, Consistency.QUORUM));

    @TempDir
    private Path temporary = Path.of("");

    private RunReport run(Operation operation, Shape shape, int count, Dataset dataset, Optional<Load> load)
            throws Exception {
        var options =
                new ScenarioOptions(operation, shape, count, true, dataset, load, LinkOptions.PLAIN, FaultPhase.NONE);
        try (WorkDirectory work = WorkDirectory.open(temporary.resolve("work"))) {
            PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
            RunReport report = ScenarioRun.run(options, work, CONFIG, new RunListeners(nowhere, false, () -> {}));
            assertThat(report.failure()).isEmpty();
            assertThat(report.verified()).isTrue();
            assertThat(report.end().state()).isEqualTo(EndState.INSTALLED);
            assertThat(report.results()).extracting(Result::state).containsOnly(EndState.INSTALLED);
            assertThat(report.sources().stream().mapToLong(Source::bytes).sum()).isPositive();
            return report;
        }
    }

    @Test
    void nodes_join_one_after_another_and_no_write_is_missing() throws Exception {
        RunReport report = run(Operation.BOOTSTRAP, Shape.simple(2, 2), 2, SMALL, LOAD);

        assertThat(report.sources()).extracting(Source::to).contains("node3", "node4");
        assertThat(report.load().orElseThrow().missing()).isZero();
        assertThat(report.load().orElseThrow().rowsAsked()).isPositive();
    }

    @Test
    void nodes_with_certificates_of_a_throw_away_authority_speak_tls() throws Exception {
        var options = new ScenarioOptions(
                Operation.REPLACE,
                Shape.simple(3, 3),
                1,
                true,
                SMALL,
                NO_LOAD,
                new LinkOptions(true, false, Optional.empty()),
                FaultPhase.NONE);
        try (WorkDirectory work = WorkDirectory.open(temporary.resolve("work"))) {
            PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

            RunReport report = ScenarioRun.run(options, work, CONFIG, new RunListeners(nowhere, false, () -> {}));

            assertThat(report.failure()).isEmpty();
            assertThat(report.verified()).isTrue();
            assertThat(report.transfer().orElseThrow().mode()).isEqualTo("files (TLS 1.3)");
            assertThat(Files.readString(work.root().resolve("node4").resolve("sluice.yaml")))
                    .contains("tls_certificate: " + work.root().resolve("tls").resolve("node4.crt"));
        }
    }

    @Test
    void what_a_leaving_node_held_goes_to_all_who_will_hold_it() throws Exception {
        RunReport report = run(Operation.DECOMMISSION, Shape.simple(4, 2), 1, SMALL, LOAD);

        assertThat(report.sources()).extracting(Source::node).containsOnly("node4");
        assertThat(report.sources()).extracting(Source::to).containsExactlyInAnyOrder("node1", "node2");
        assertThat(report.load().orElseThrow().missing()).isZero();
    }

    @Test
    void what_a_dead_node_held_comes_from_its_replicas() throws Exception {
        RunReport report = run(Operation.REMOVENODE, Shape.simple(4, 2), 1, SMALL, NO_LOAD);

        assertThat(report.sources()).extracting(Source::node).doesNotContain("node4");
        assertThat(report.checks())
                .allSatisfy(check -> assertThat(check.held().get(0).node()).isEqualTo("node4 (dead)"));
    }

    @Test
    void a_node_that_moves_fetches_and_gives() throws Exception {
        RunReport report = run(Operation.MOVE, Shape.simple(3, 1), 1, SMALL, NO_LOAD);

        assertThat(report.sources()).extracting(Source::to).contains("node3");
        assertThat(report.sources()).extracting(Source::node).contains("node3");
    }

    @Test
    void a_new_data_centre_is_filled_from_the_other() throws Exception {
        RunReport report = run(Operation.REBUILD, new Shape(4, 2, List.of("east", "west"), 2, 1), 1, SMALL, NO_LOAD);

        assertThat(report.sources()).extracting(Source::to).containsOnly("node2", "node4");
        assertThat(report.sources()).extracting(Source::node).containsOnly("node1", "node3");
    }

    @Test
    void a_repair_streams_only_what_differs() throws Exception {
        RunReport report = run(Operation.REPAIR, Shape.simple(3, 3), 1, new Dataset.Generated(8 << 20), NO_LOAD);

        assertThat(report.sources()).extracting(Source::to).containsOnly("node3");
        // Every other of its SSTables was gone: less than two thirds of all must have been received.
        assertThat(report.sources().stream().mapToLong(Source::bytes).sum()).isLessThan((8L << 20) * 2 / 3);
    }

    @Test
    void tablets_migrate_to_a_node_that_has_none() throws Exception {
        RunReport report = run(Operation.TABLET_MIGRATION, Shape.simple(3, 2), 2, SMALL, NO_LOAD);

        assertThat(report.sources()).extracting(Source::to).containsOnly("node3");
        assertThat(report.checks()).hasSize(2);
    }

    @Test
    void with_many_tokens_and_overlapping_sstables_parts_are_streamed() throws Exception {
        RunReport report = run(
                Operation.BOOTSTRAP,
                new Shape(3, 2, List.of("datacenter1"), 3, 8),
                1,
                new Dataset.Generated(4 << 20, true),
                NO_LOAD);

        assertThat(report.sources()).extracting(Source::to).containsOnly("node4");
        assertThat(report.checks()).hasSizeGreaterThan(8);
    }
}
