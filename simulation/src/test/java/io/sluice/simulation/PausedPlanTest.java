package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.StreamActivity;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A plan that is paused by hand stays so for longer than any deadline, and then goes on where it was. */
class PausedPlanTest {
    private static final int ROWS = 8_000;
    private static final Duration SOON = Duration.ofSeconds(3);
    /** Also longer than a source believes a receiver that only says that it is at work. */
    private static final Duration AN_HOUR = Duration.ofHours(1);

    @Test
    void goes_on_in_the_same_session_after_more_than_every_deadline() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            cluster.untilReceived(plan, 1);
            cluster.engine(cluster.receiver).pause(plan.id());
            cluster.engine(cluster.receiver).pause(plan.id());
            cluster.pass(SOON); // what is on its way comes
            long before = cluster.progress(plan).bytesReceived();

            cluster.pass(AN_HOUR);

            SessionProgress paused = cluster.progress(plan);
            assertThat(paused.bytesReceived()).isEqualTo(before).isLessThan(paused.bytesTotal());
            assertThat(paused.waitingFor()).map(StreamActivity.Wait::what).contains(StreamActivity.Waiting.RESUME);
            assertThat(running.result()).isEmpty();
            assertThat(cluster.sending()).isEqualTo(1);
            cluster.engine(cluster.receiver).resume(plan.id());
            PlanResult result = cluster.await(running);
            assertThat(result.isComplete()).isTrue();
            assertThat(cluster.dataConnections()).hasSize(1);
            cluster.engine(cluster.receiver).pause(plan.id()); // no effect on one that has ended
        }
    }

    @Test
    void is_over_soon_when_it_is_cancelled() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            cluster.untilReceived(plan, 1);
            cluster.engine(cluster.receiver).pause(plan.id());
            cluster.pass(AN_HOUR);
            Duration cancelled = cluster.now();
            cluster.engine(cluster.receiver).cancel(plan.id(), "enough");

            assertThat(cluster.await(running).tables().get(0).reason()).contains("CANCELLED: enough");

            assertThat(cluster.now().minus(cancelled)).isLessThan(SOON);
            cluster.pass(SOON);
            assertThat(cluster.sourceTables.pins()).isZero();
        }
    }
}
