package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.StreamPlan;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a plan has in memory goes when it has ended: no timer of its receiver refers to it any more. */
class EndedPlanTest {
    private static final int ROWS = 8_000;
    /** The shortest time after which a disk is said to hang is 2 s. */
    private static final Duration SOON = Duration.ofSeconds(1);

    @Test
    void a_complete_one_leaves_no_timer_at_the_receiver() throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, ROWS)) {
            int before = cluster.receiver.timers();

            assertThat(cluster.await(cluster.execute(cluster.planOfAll())).isComplete())
                    .isTrue();

            cluster.pass(SOON);
            assertThat(cluster.receiver.timers()).isEqualTo(before);
        }
    }

    @Test
    void a_cancelled_one_leaves_no_timer_at_the_receiver() throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, ROWS)) {
            int before = cluster.receiver.timers();
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            cluster.untilReceived(plan, 1);

            cluster.engine(cluster.receiver).cancel(plan.id(), "enough");

            assertThat(cluster.await(running).isComplete()).isFalse();
            cluster.pass(SOON);
            assertThat(cluster.receiver.timers()).isEqualTo(before);
        }
    }
}
