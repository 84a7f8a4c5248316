package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.audit.Findings;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.load.Consistency;
import io.sluice.harness.load.LoadGenerator;
import io.sluice.harness.load.LoadGenerator.Mix;
import io.sluice.harness.load.LoadTable;
import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.EndState;
import io.sluice.harness.report.RunReport.LoadResult;
import io.sluice.harness.report.RunReport.Result;
import io.sluice.harness.scenario.FaultSchedule.Scheduled;
import io.sluice.harness.scenario.LiveCluster.Carried;
import io.sluice.harness.scenario.ScenarioOptions.Dataset;
import io.sluice.harness.scenario.ScenarioOptions.Load;
import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes: a node is replaced, and while a table is streamed to its replacement it is emptied, dropped, or its
 * deletions are forgotten. What was removed is nowhere afterwards, and what was not is everywhere it belongs, by the
 * files of all nodes.
 */
@Timeout(300)
@Tag("full")
class RemovedWhileStreamedScenarioTest {
    private static final SluiceConfig SLOW = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"))
            .with(Map.of("entire_sstable_stream_throughput_outbound", "512KiB/s"));
    private static final int KEYS = 10_000;
    private static final Mix BY_HAND = new Mix(0, 600, 0);
    private static final Load QUORUM = new Load(1, Consistency.QUORUM);
    private static final int NO_GRACE = 0;
    private static final long HARDLY_ANY = 16 << 10;

    @TempDir
    private Path temporary = Path.of("");

    private WorkDirectory work;
    private LiveCluster cluster;
    private LiveLoad table;

    private static LoadTable named(int id) {
        return new LoadTable(new TableRef(new UUID(7, id), "load", "users"), NO_GRACE);
    }

    @BeforeEach
    void fill() throws Exception {
        work = WorkDirectory.open(temporary.resolve("work"));
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        cluster = LiveCluster.start(
                ScenarioOptions.replace(3, 3, new Dataset.Generated(1 << 20)),
                work,
                SLOW,
                new RunListeners(nowhere, false, () -> {}));
        // Deletions outlive a grace period of nothing in the next second: so clients have written a minute ago.
        InstantSource earlier = InstantSource.offset(InstantSource.system(), Duration.ofMinutes(-1));
        table = cluster.create(named(1), QUORUM, BY_HAND, earlier);
        table.generator().insert(0, KEYS);
    }

    @AfterEach
    void close() throws Exception {
        cluster.close();
        work.close();
    }

    /** When a third of the bytes were received, something is done; until that is over hardly any more come. */
    private Carried replaceNode3(String what, LoadGenerator.Step step) throws Exception {
        Node dead = cluster.ring().nodes().get(2);
        Node replacement = cluster.members().replacement(dead);
        Changes.Step replace = new Changes.Step(
                new TopologyChange.Replace(dead, replacement), Optional.of(dead), Optional.of(replacement));
        Scheduled slowly = new Scheduled(0.3, what, () -> {
            limit(HARDLY_ANY);
            assertThat(isStreaming(replacement)).as("before it is done").isTrue();
            step.run();
            limit(0);
        });
        return cluster.carryOut(replace, List.of(), List.of(slowly));
    }

    private void limit(long bytesPerSecond) throws IOException {
        for (NodeProcess process : cluster.nodes().all()) {
            process.admin()
                    .setThroughput(new AdminRequests.Throughput(
                            Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, bytesPerSecond));
        }
    }

    private boolean isStreaming(Node node) throws IOException {
        return cluster.nodes().process(node).admin().netStats().fetches().stream()
                .anyMatch(fetch -> fetch.phase() == FetchState.Phase.STREAMING);
    }

    private void assertAllAsWritten() throws Exception {
        assertThat(cluster.finishWrites()).extracting(LoadResult::missing).containsOnly(0L);
        assertThat(cluster.compare()).isNotEmpty().allMatch(Check::equal);
        assertFilesAreAsWritten();
    }

    private void assertFilesAreAsWritten() throws Exception {
        Findings findings = cluster.audit();
        assertThat(findings.holdings()).isNotEmpty().allMatch(Findings.Holding::isRight);
    }

    @Test
    void rows_of_a_table_that_was_truncated_do_not_come_back() throws Exception {
        Carried carried = replaceNode3("truncate", () -> cluster.truncate(table));
        table.generator().insert(KEYS, KEYS + 100);

        assertThat(carried.attempts()).isEqualTo(2);
        assertThat(carried.events()).anyMatch(event -> event.text().contains("DISCARDED"));
        assertAllAsWritten();
    }

    @Test
    void a_table_that_was_dropped_and_made_anew_has_nothing_of_the_old_one() throws Exception {
        Carried carried = replaceNode3("drop", () -> {
            cluster.drop(table);
            cluster.create(named(2), QUORUM, BY_HAND).generator().insert(0, 100);
        });

        assertThat(carried.attempts()).isEqualTo(2);
        assertThat(carried.events())
                .anyMatch(event ->
                        event.text().contains("DISCARDED") || event.text().contains("UNKNOWN_TABLE"));
        assertThat(carried.results()).extracting(Result::state).containsOnly(EndState.INSTALLED);
        assertAllAsWritten();
    }

    private void compactAll() throws IOException {
        for (NodeProcess process : cluster.nodes().all()) {
            cluster.compact(table, process.node());
        }
    }

    @Test
    void rows_that_were_deleted_do_not_come_back_when_nodes_forget_their_deletions() throws Exception {
        Carried carried = replaceNode3("delete half of the keys, and compact", () -> {
            table.generator().delete(0, KEYS / 2);
            compactAll();
            Node replacement = cluster.nodes().all().get(2).node();
            assertThat(isStreaming(replacement))
                    .as("old rows are on their way to %s", replacement)
                    .isTrue();
        });
        compactAll();

        assertThat(carried.attempts()).isEqualTo(1);
        assertThat(cluster.finishWrites()).extracting(LoadResult::missing).containsOnly(0L);
        assertFilesAreAsWritten();
    }
}
