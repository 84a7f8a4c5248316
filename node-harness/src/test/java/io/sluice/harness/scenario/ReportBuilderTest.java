package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.cluster.LinkOptions;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.report.RunReport.EndState;
import io.sluice.harness.report.RunReport.Environment;
import io.sluice.harness.report.RunReport.Result;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.State;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a report says of a run. */
class ReportBuilderTest {
    private static final Environment ENVIRONMENT =
            new Environment("Sluice", "./sluice", Map.of(), "17", "Linux", 2, 1, "ext4", "cubic", 0);
    private static final ScenarioOptions OPTIONS = new ScenarioOptions(
            Operation.REPLACE,
            Shape.simple(3, 3),
            1,
            true,
            new ScenarioOptions.Dataset.Generated(8 << 20),
            Optional.empty(),
            LinkOptions.PLAIN,
            ScenarioOptions.FaultPhase.NONE);

    @Test
    void sstables_that_a_failed_session_offered_count_only_where_they_were_installed() {
        var report = new ReportBuilder(OPTIONS, Path.of("work"), ENVIRONMENT, seen -> {});
        Map<Node, List<SessionProgress>> received =
                Map.of(node(4), List.of(session(1, State.FAILED, 3), session(2, State.COMPLETE, 6)));
        report.streaming(received, 1_000_000_000, Map.of(), "epoll");
        report.changeEnded(List.of(new Result("node4", "bench.users", EndState.INSTALLED, "", 6, 100, "")));

        assertThat(report.build(Optional.empty()).transfer().orElseThrow().sstables())
                .isEqualTo(6);
    }

    @Test
    void of_a_run_that_installed_nothing_all_that_were_offered_count() {
        var report = new ReportBuilder(OPTIONS, Path.of("work"), ENVIRONMENT, seen -> {});
        report.streaming(Map.of(node(4), List.of(session(1, State.FAILED, 3))), 1_000_000_000, Map.of(), "epoll");

        assertThat(report.build(Optional.empty()).transfer().orElseThrow().sstables())
                .isEqualTo(3);
    }

    private static Node node(int number) {
        return new Node(new UUID(0, number), "node" + number, new Address("127.0.0.1", number), List.of());
    }

    private static SessionProgress session(int peer, State state, int sstables) {
        return new SessionProgress(
                node(peer),
                state,
                0,
                Instant.EPOCH,
                Optional.empty(),
                sstables,
                sstables,
                sstables,
                100,
                100,
                0,
                List.of(),
                Optional.empty(),
                Optional.empty());
    }
}
