package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A plan that is paused by hand. That it stays so for longer than any deadline, and goes on where it was:
 * {@code PausedPlanTest} of the simulation.
 */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class PauseTest {
    @TempDir
    Path temp;

    @Test
    void a_paused_plan_can_be_cancelled() throws Exception {
        Node source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder().build();
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 1, 1 << 20));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 1, 0))) {
            StreamPlan plan = TestTables.plan(source, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            receiver.pause(plan.id());
            receiver.cancel(plan.id(), "enough");

            assertThat(result.get(10, SECONDS).tables().get(0).reason()).contains("CANCELLED: enough");
            assertThat(sender.obsoletePinnedBytes()).isZero();
        }
    }
}
