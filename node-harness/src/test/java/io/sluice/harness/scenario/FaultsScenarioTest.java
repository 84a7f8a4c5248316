package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.harness.cluster.LinkOptions;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.Fault.Kind;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.fault.Namespaces;
import io.sluice.harness.fault.SmallDisk;
import io.sluice.harness.load.Consistency;
import io.sluice.harness.report.ExpectedEnd;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.EndState;
import io.sluice.harness.report.RunReport.Mark;
import io.sluice.harness.report.RunReport.Source;
import io.sluice.harness.scenario.ScenarioOptions.Dataset;
import io.sluice.harness.scenario.ScenarioOptions.FaultPhase;
import io.sluice.harness.scenario.ScenarioOptions.Load;
import io.sluice.streaming.ErrorCode;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes are really killed, frozen, cut off and spoilt while they stream. */
@Timeout(180)
@Tag("full")
class FaultsScenarioTest {
    private static final SluiceConfig SLOW = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"))
            .with(Map.of("entire_sstable_stream_throughput_outbound", "2MiB/s"));

    @TempDir
    private Path temporary = Path.of("");

    private static Fault fault(Kind kind, double at, String node) {
        return fault(kind, at, node, Optional.empty());
    }

    private static Fault fault(Kind kind, double at, String node, Optional<Integer> lasts) {
        return new Fault(kind, at, node, Optional.empty(), lasts, Optional.empty());
    }

    private RunReport replace(Fault fault, int retries, String expect) throws Exception {
        return replace(fault, retries, expect, LinkOptions.PLAIN);
    }

    private RunReport replace(Fault fault, int retries, String expect, LinkOptions links) throws Exception {
        return replace(List.of(fault), retries, expect, links);
    }

    private RunReport replace(List<Fault> faults, int retries, String expect, LinkOptions links) throws Exception {
        return replace(faults, retries, expect, links, Optional.empty());
    }

    private RunReport replace(List<Fault> faults, int retries, String expect, LinkOptions links, Optional<Load> load)
            throws Exception {
        var options = new ScenarioOptions(
                Operation.REPLACE,
                Shape.simple(3, 3),
                1,
                true,
                new Dataset.Generated(8 << 20),
                load,
                links,
                new FaultPhase(faults, retries, ExpectedEnd.read(expect).orElseThrow()));
        try (WorkDirectory work = WorkDirectory.open(temporary.resolve("work"))) {
            PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
            return ScenarioRun.run(options, work, SLOW, new RunListeners(nowhere, false, () -> {}));
        }
    }

    private static void assertFailed(RunReport report, ErrorCode code) {
        assertThat(report.failure()).isPresent();
        assertThat(report.end().code()).as("%s", report.failure()).contains(code);
        assertThat(report.end().state()).isEqualTo(EndState.FAILED);
        assertThat(report.end().asExpected()).isTrue();
        assertThat(report.verified()).isFalse();
        // Who held something before still does.
        assertThat(report.checks()).isNotEmpty().allMatch(Check::equal);
    }

    @Test
    void another_replica_sends_what_a_source_that_died_had_still_to_send() throws Exception {
        RunReport report = replace(fault(Kind.KILL, 0.2, Fault.SOURCE), 0, "installed");

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.marks()).extracting(Mark::text).anyMatch(text -> text.startsWith("SIGKILL node"));
    }

    @Test
    void what_a_source_had_sent_before_it_died_counts_once() throws Exception {
        RunReport report = replace(fault(Kind.KILL, 0.7, Fault.SOURCE), 0, "installed");

        assertThat(report.verified()).isTrue();
        assertThat(report.sources()).extracting(Source::state).contains("FAILED");
        assertThat(report.sources())
                .as("an SSTable of the source that died is kept")
                .anyMatch(source -> source.bytesResumed() > 0);
        assertThat(report.results())
                .singleElement()
                .satisfies(table -> assertThat(table.bytes())
                        .isEqualTo(report.sources().stream()
                                .filter(source -> source.state().equals("COMPLETE"))
                                .mapToLong(Source::bytesTotal)
                                .sum()));
    }

    @Test
    void a_receiver_that_dies_comes_back_and_the_operation_is_begun_again() throws Exception {
        RunReport report = replace(fault(Kind.KILL, 0.2, Fault.RECEIVER), 1, "installed");

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.marks()).extracting(Mark::text).contains("SIGKILL node4", "begun again");
    }

    /** 143 is 128 and the number of the signal: the node has stopped in order, and nobody has had to kill it. */
    @Test
    void a_source_that_is_asked_to_end_does_so_and_another_replica_sends_the_rest() throws Exception {
        RunReport report = replace(fault(Kind.TERMINATE, 0.2, Fault.SOURCE), 0, "installed");

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.marks())
                .extracting(Mark::text)
                .anyMatch(text -> text.matches("SIGTERM node[12]: exit code 143"));
    }

    @Test
    void a_receiver_that_is_asked_to_end_does_so_and_the_operation_is_begun_again() throws Exception {
        RunReport report = replace(fault(Kind.TERMINATE, 0.2, Fault.RECEIVER), 1, "installed");

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.marks()).extracting(Mark::text).contains("SIGTERM node4: exit code 143", "begun again");
        assertThat(report.audit().orElseThrow().right()).isTrue();
    }

    @Test
    void a_receiver_and_a_source_that_are_frozen_for_a_while_go_on() throws Exception {
        RunReport report = replace(
                List.of(
                        fault(Kind.FREEZE, 0.1, Fault.RECEIVER, Optional.of(2)),
                        fault(Kind.FREEZE, 0.4, Fault.SOURCE, Optional.of(2))),
                0,
                "installed",
                LinkOptions.PLAIN);

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.audit().orElseThrow().right()).isTrue();
    }

    @Test
    void a_receiver_that_dies_says_since_when_it_has_all_writes_again() throws Exception {
        Instant began = Instant.now();
        RunReport report = replace(
                List.of(fault(Kind.KILL, 0.4, Fault.RECEIVER)),
                1,
                "installed",
                LinkOptions.PLAIN,
                Optional.of(new Load(200, Consistency.QUORUM)));

        assertThat(report.failure()).isEmpty();
        assertThat(report.load().orElseThrow().missing()).isZero();
        assertThat(report.audit().orElseThrow().right()).isTrue();
        String writes = report.results().stream()
                .filter(result ->
                        result.table().equals("load.writes") && !result.writes().isEmpty())
                .reduce((first, last) -> last)
                .orElseThrow()
                .writes();
        assertThat(writes).startsWith("all writes since ");
        double died = report.marks().stream()
                .filter(mark -> mark.text().equals("SIGKILL node4"))
                .findFirst()
                .orElseThrow()
                .seconds();
        assertThat(Instant.parse(writes.substring("all writes since ".length())))
                .as("after it died")
                .isAfter(began.plusMillis((long) (1_000 * died)));
    }

    @Test
    void a_fault_that_meets_a_dead_node_is_left_out() throws Exception {
        Fault slow = new Fault(Kind.SLOW, 0, Fault.SOURCE, Optional.empty(), Optional.empty(), Optional.of(1L << 20));

        RunReport report = replace(List.of(fault(Kind.KILL, 0, Fault.SOURCE), slow), 1, "installed", LinkOptions.PLAIN);

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.marks())
                .extracting(Mark::text)
                .contains("SIGKILL node1", "slow source: left out, as node1 is dead");
    }

    @Test
    void another_replica_sends_what_is_spoilt_at_its_source() throws Exception {
        RunReport report = replace(fault(Kind.CORRUPT, 0, Fault.SOURCE), 0, "installed");

        assertThat(report.failure()).isEmpty();
    }

    @Test
    void a_full_disk_is_named() throws Exception {
        assumeTrue(SmallDisk.isPossible(), "only root on Linux may mount a small disk: not tested here");

        RunReport report = replace(fault(Kind.DISK_FULL, 0, Fault.RECEIVER), 0, "failed DISK_FULL");

        assertFailed(report, ErrorCode.DISK_FULL);
    }

    @Test
    void a_network_that_comes_back_in_time_only_delays() throws Exception {
        RunReport report = replace(fault(Kind.CUT, 0.2, Fault.RECEIVER, Optional.of(2)), 0, "installed");

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.marks()).extracting(Mark::text).anyMatch(text -> text.startsWith("cut node4 from node"));
    }

    @Test
    void what_is_cut_before_the_bytes_flow_is_cut_and_a_second_fault_of_a_kind_is_left_out() throws Exception {
        Fault cut = new Fault(Kind.CUT, 0, Fault.RECEIVER, Optional.of(Fault.SOURCE), Optional.of(3), Optional.empty());
        RunReport report = replace(
                List.of(
                        cut,
                        fault(Kind.FREEZE, 0, Fault.RECEIVER, Optional.of(2)),
                        fault(Kind.FREEZE, 0, Fault.RECEIVER, Optional.of(1))),
                0,
                "installed",
                LinkOptions.PLAIN);

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.marks())
                .extracting(Mark::text)
                .contains("freeze receiver: left out, as the one before it at node4 is not over");
    }

    @Test
    void networks_of_the_kernel_are_cut_and_healed_and_taken_away() throws Exception {
        assumeTrue(Namespaces.isPossible(), "only root on Linux may make networks: not tested here");

        RunReport report = replace(
                fault(Kind.CUT, 0.2, Fault.RECEIVER, Optional.of(2)),
                0,
                "installed",
                new LinkOptions(false, true, Optional.of(8L << 20)));

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.members())
                .allSatisfy(member -> assertThat(member.address()).startsWith("10.213."));
        assertThat(report.marks()).extracting(Mark::text).anyMatch(text -> text.startsWith("cut node4 from node"));
        Process left = new ProcessBuilder("ip", "netns", "list").start();
        assertThat(new String(left.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .doesNotContain("sl" + ProcessHandle.current().pid());
    }

    @Test
    void a_slow_disk_only_delays() throws Exception {
        Fault slow = new Fault(
                Kind.SLOW_DISK, 0.1, Fault.RECEIVER, Optional.empty(), Optional.empty(), Optional.of(1L << 20));

        RunReport report = replace(slow, 0, "installed");

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.marks()).extracting(Mark::text).contains("slow-disk node4");
    }

    @Test
    void a_run_that_ends_otherwise_than_expected_says_so() throws Exception {
        RunReport report = replace(fault(Kind.FREEZE, 0.2, Fault.SOURCE, Optional.of(1)), 0, "failed TIMEOUT");

        assertThat(report.failure()).isEmpty();
        assertThat(report.end().asExpected()).isFalse();
    }
}
