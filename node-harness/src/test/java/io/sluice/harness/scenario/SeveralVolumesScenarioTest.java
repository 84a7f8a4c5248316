package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.harness.cluster.LinkOptions;
import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.Fault.Kind;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.fault.SmallDisk;
import io.sluice.harness.report.ExpectedEnd;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.RunReport.Mark;
import io.sluice.harness.scenario.ScenarioOptions.Dataset;
import io.sluice.harness.scenario.ScenarioOptions.FaultPhase;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real nodes with two data directories each, of which one may be lost while the replacement receives. */
@Timeout(180)
@Tag("full")
class SeveralVolumesScenarioTest {
    private static final SluiceConfig SLOW = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"))
            .with(Map.of("entire_sstable_stream_throughput_outbound", "2MiB/s"));
    private static final String REPLACEMENT = "node4";

    @TempDir
    private Path temporary = Path.of("");

    @AfterEach
    void take_away() throws Exception {
        SmallDisk.removeBelow(temporary);
    }

    private RunReport replace(List<Fault> faults) throws Exception {
        var options = new ScenarioOptions(
                Operation.REPLACE,
                Shape.simple(3, 3).withDataDirectories(2),
                1,
                true,
                new Dataset.Generated(16 << 20),
                Optional.empty(),
                LinkOptions.PLAIN,
                new FaultPhase(faults, 0, ExpectedEnd.INSTALLED));
        try (WorkDirectory work = WorkDirectory.open(temporary.resolve("work"))) {
            PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
            return ScenarioRun.run(options, work, SLOW, new RunListeners(nowhere, false, () -> {}));
        }
    }

    /** By data directory, the live SSTables of a node. */
    private List<Long> sstables(String node) throws IOException {
        List<Path> directories = new NodeHome(temporary.resolve("work").resolve(node)).dataDirectories();
        assertThat(directories).hasSize(2);
        return List.of(count(directories.get(0)), count(directories.get(1)));
    }

    private static long count(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.filter(file -> file.toString().endsWith("-Data.db"))
                    .filter(file -> !file.toString().contains(".sluice-staging"))
                    .count();
        }
    }

    private static void assertAllIsThere(RunReport report) {
        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.audit().orElseThrow().right()).isTrue();
    }

    @Test
    void both_volumes_get_their_share() throws Exception {
        RunReport report = replace(List.of());

        assertAllIsThere(report);
        List<Long> received = sstables(REPLACEMENT);
        assertThat(received).allMatch(count -> count > 0);
        assertThat(Math.abs(received.get(0) - received.get(1)))
                .as("spread: %s", received)
                .isLessThanOrEqualTo((received.get(0) + received.get(1)) / 2);
    }

    @Test
    void a_volume_that_is_lost_while_data_streams_fails_alone() throws Exception {
        assumeTrue(SmallDisk.isPossible(), "only root on Linux may mount what covers a disk: not tested here");
        Fault lost =
                new Fault(Kind.DISK_LOST, 0.3, Fault.RECEIVER, Optional.empty(), Optional.empty(), Optional.empty());

        RunReport report = replace(List.of(lost));

        assertAllIsThere(report);
        assertThat(report.marks()).extracting(Mark::text).contains("disk-lost node4 (data2)");
        List<Long> received = sstables(REPLACEMENT);
        assertThat(received.get(0)).isPositive();
        assertThat(received.get(1)).as("on the lost one").isZero();
        assertThat(Files.readString(temporary.resolve("work/node4/logs/node.log")))
                .contains(Path.of("data2", ".sluice-staging") + ": untrusted until this node restarts");
    }
}
