package io.sluice.harness.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.report.RunReport.Mark;
import io.sluice.harness.soak.KillReport.Kill;
import io.sluice.harness.soak.KillReport.Victim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KillReportTest {
    private static Kill kill(String moments, Optional<String> failure, boolean areContentsEqual, int orphans) {
        return new Kill(1, Victim.SOURCE, moments, List.of(), 1, 0, failure, areContentsEqual, orphans, 1.0);
    }

    /** One that failed before anything was killed is a failure all the more. */
    @Test
    void a_run_does_not_count_only_if_it_ended_well_before_the_kill() {
        assertThat(kill("", Optional.empty(), true, 0).isTooLate()).isTrue();
        assertThat(kill("", Optional.of("the command ended with code 1"), true, 0)
                        .isTooLate())
                .isFalse();
        assertThat(kill("", Optional.empty(), false, 0).isTooLate()).isFalse();
        assertThat(kill("", Optional.empty(), true, 2).isTooLate()).isFalse();
        assertThat(kill("source at 1.2 s", Optional.empty(), true, 0).isTooLate())
                .isFalse();
    }

    @Test
    void a_kill_that_did_not_come_is_not_in_the_report() {
        Map<Victim, Double> planned = Map.of(Victim.RECEIVER, 0.3, Victim.SOURCE, 0.7);
        Mark begunAgain = new Mark(1.5, "begun again", Optional.empty());

        assertThat(KillRuns.Moment.of(planned, "node4", List.of(killed("node4", 1.2), begunAgain)))
                .isEqualTo(new KillRuns.Moment(Victim.RECEIVER, "node4 at 1.2 s", List.of(0.3)));
        assertThat(KillRuns.Moment.of(planned, "node4", List.of(killed("node1", 2))))
                .isEqualTo(new KillRuns.Moment(Victim.SOURCE, "node1 at 2.0 s", List.of(0.7)));
        assertThat(KillRuns.Moment.of(planned, "node4", List.of(killed("node1", 2), killed("node4", 3))))
                .isEqualTo(new KillRuns.Moment(Victim.BOTH, "node1 at 2.0 s, node4 at 3.0 s", List.of(0.7, 0.3)));
        assertThat(KillRuns.Moment.of(planned, "node4", List.of()))
                .isEqualTo(new KillRuns.Moment(Victim.BOTH, "", List.of()));
        assertThat(KillRuns.Moment.of(Map.of(Victim.SOURCE, 0.7), "node4", List.of()))
                .isEqualTo(new KillRuns.Moment(Victim.SOURCE, "", List.of()));
    }

    private static Mark killed(String node, double seconds) {
        return new Mark(seconds, "SIGKILL " + node, Optional.of(node));
    }
}
