package io.sluice.harness.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.soak.KillReport.Kill;
import io.sluice.harness.soak.KillReport.Victim;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Some of the hundred kills of {@code ./sluice soak kills}. */
@Timeout(900)
class KillRunsTest {
    @TempDir
    private Path temporary = Path.of("");

    @Test
    @Tag("full")
    void nothing_is_lost_and_nothing_is_left_whoever_is_killed() throws Exception {
        kill(5);
    }

    @Test
    @Tag("soak")
    void nothing_is_lost_and_nothing_is_left_whoever_is_killed_whenever() throws Exception {
        kill(10);
    }

    private void kill(int times) throws Exception {
        List<KillReport> told = new ArrayList<>();

        KillReport report =
                new KillRuns(temporary, Path.of("..", "conf", "sluice.yaml"), "8MiB", 11).run(times, told::add);

        assertThat(told).extracting(KillReport::kills).hasSize(times).last().isEqualTo(report.kills());
        assertThat(told.get(2).kills())
                .as("what is left if it is interrupted then")
                .isEqualTo(report.kills().subList(0, 3));
        assertThat(report.kills()).allMatch(Kill::isGood);
        assertThat(report.kills()).extracting(Kill::victim).contains(Victim.values());
    }
}
