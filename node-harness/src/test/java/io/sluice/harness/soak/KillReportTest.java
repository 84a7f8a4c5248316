package io.sluice.harness.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.soak.KillReport.Kill;
import io.sluice.harness.soak.KillReport.Victim;
import java.util.List;
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
}
